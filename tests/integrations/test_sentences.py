"""wtpsplit's sentences are scored as docs/harnesses.md does it, with a model that is made here."""

from pathlib import Path

from tests.support.harness import RunFile, write_files

MODEL = """
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
from wtpsplit.models import SubwordXLMConfig, SubwordXLMForTokenClassification

special = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "mask": "<mask>"}
tokens = [*special.values(), *map(chr, range(33, 127)), *"“”▁"]
characters = Tokenizer(models.Unigram([(token, 0.0) for token in tokens], unk_id=3))
characters.pre_tokenizer = pre_tokenizers.Metaspace()
names = {f"{name}_token": token for name, token in special.items()}
PreTrainedTokenizerFast(
    tokenizer_object=characters, **names, cls_token="<s>", sep_token="</s>"
).save_pretrained("facebookAI/xlm-roberta-base")

config = SubwordXLMConfig(
    vocab_size=len(tokens), hidden_size=4, num_hidden_layers=1, num_attention_heads=1,
    intermediate_size=4, num_labels=1, max_position_embeddings=514,
)
model = SubwordXLMForTokenClassification(config)
with torch.no_grad():
    for name, weights in model.named_parameters():
        if "LayerNorm" not in name:
            weights.zero_()
    embeddings = model.roberta.embeddings.word_embeddings.weight
    embeddings[:] = torch.tensor([-1.0, 1, -1, 1])
    for end in ".?!":
        embeddings[tokens.index(end)] *= -1
    model.classifier.weight[:] = torch.tensor([9.0, 0, 0, 0])
model.save_pretrained("sat-3l-sm")
"""
"""Writes a model whose one layer adds nothing: a sentence ends after each . ? and ! that it reads.

Model and tokenizer are in folders of the names that wtpsplit would otherwise look up at a hub.
"""


def test_sentences_of_wtpsplit_are_scored(torch: RunFile, tmp_path: Path) -> None:
    """It finds both boundaries, and others after `Dr.`, `p.m.` and `it?`."""
    write_files("harnesses.md", tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    torch("model.py")
    matches, misses, false_alarms = 2, 0, 3
    f1 = 2 * matches / (2 * matches + misses + false_alarms)
    printed = torch("sentences_wtpsplit.py")
    assert printed.split() == [str(value) for value in (f1, matches, misses, false_alarms)]
