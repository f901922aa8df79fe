"""Run every benchmark and print what it measured."""

from benchmarks import small_job

if __name__ == "__main__":
    for benchmark in (small_job,):
        print(benchmark.measure())
