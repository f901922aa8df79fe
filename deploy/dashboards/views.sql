-- DuckDB views of the nights in a folder of `segscore nightly`; tested with 1.5.5 and 2.0.0.
-- docs/dashboards.md explains how to load them, and has queries.
--
-- First define where the nights are, a folder or a URL:
--     CREATE MACRO archive() AS 's3://archive/runs';
-- `segscore trend --table` must have written history/history.parquet there.

CREATE MACRO IF NOT EXISTS archive() AS 'archive/runs';

-- The folder of a run, from the name of one of its files, which is this many levels below it.
CREATE OR REPLACE MACRO folder_of(file, level) AS string_split(file, '/')[-1 - level];

-- The date of a night, from the name of its folder; null for any other folder.
CREATE OR REPLACE MACRO date_of(folder) AS
    TRY_CAST(regexp_extract(folder, '^date=(\d{4}-\d{2}-\d{2})$', 1) AS DATE);

-- The groups of a row, from its columns other than the table's own: 'program=news'; null over all.
CREATE OR REPLACE MACRO groups_of(row_json, own_columns) AS nullif(array_to_string(list_transform(
    list_filter(json_keys(row_json), lambda name: NOT list_contains(own_columns, name)
        AND json_extract_string(row_json, '$."' || name || '"') IS NOT NULL),
    lambda name: name || '=' || json_extract_string(row_json, '$."' || name || '"')), ', '), '');

-- The better direction of each measure: 1 higher, -1 lower, 0 neither.
CREATE OR REPLACE VIEW directions AS
SELECT unnest(map_keys(known)) AS measure, unnest(map_values(known)) AS better
FROM (SELECT MAP {
    'pk': -1, 'pk_miss_rate': -1, 'pk_false_alarm_rate': -1, 'pk_prior': -1, 'pk_prime_miss_rate':
    -1, 'pk_prime_false_alarm_rate': -1, 'pk_prime': -1, 'window_diff': -1, 'window_diff_miss': -1,
    'window_diff_false_alarm': -1, 'window_diff_weighted': -1, 'pr_miss': -1, 'pr_false_alarm': -1,
    'pr_error': -1, 'c_seg': -1, 'c_seg_normalised': -1, 'window_diff_edges': -1,
    'boundary_similarity': 1, 'segmentation_similarity': 1, 'b_tp': 0, 'b_fp': 0, 'b_fn': 0, 'b_tn':
    0, 'b_precision': 1, 'b_recall': 1, 'b_f1': 1, 'precision': 1, 'recall': 1, 'f1': 1, 'r_miss':
    -1, 'r_false_alarm': -1, 'story_miss': -1, 'story_false_alarm': -1, 'tolerant_precision': 1,
    'tolerant_recall': 1, 'tolerant_f1': 1, 'reach_precision': 1, 'reach_recall': 1, 'reach_f1': 1,
    'over_segmentation': 0, 'r_value': 1, 'count_error': -1, 'perfect_share': 1, 'winpr_precision':
    1, 'winpr_recall': 1, 'winpr_f1': 1, 'purity': 1, 'coverage': 1, 'purity_coverage_f1': 1,
    'tiou_precision': 1, 'tiou_recall': 1, 'tiou_f1': 1, 'tiou_mean_precision': 1,
    'tiou_mean_recall': 1, 'tiou_mean_f1': 1, 'alignment': 1, 'pair_precision': 1, 'pair_recall': 1,
    'pair_f1': 1, 'rand': 1, 'adjusted_rand': 1, 'covering': 1, 'exact_precision': 1,
    'exact_recall': 1, 'exact_f1': 1, 'bcubed_precision': 1, 'bcubed_recall': 1, 'bcubed_f1': 1,
    'selected_precision': 1, 'selected_recall': 1, 'selected_f1': 1, 'start_bias': 0, 'end_bias': 0,
    'start_error': -1, 'end_error': -1, 'start_f1': 1, 'end_f1': 1, 'dialseg_score': 1,
    'win_diff_prime': -1, 'mult_window_diff': -1, 'best_case': 0, 'worst_case': 0,
    'panel_tolerant_precision': 1, 'panel_tolerant_recall': 1, 'panel_tolerant_f1': 1
} AS known);

-- Every average of every run: history.parquet, with its group-by columns as one text.
CREATE OR REPLACE VIEW history AS
SELECT run, date, signature, version, outcome, gate, good, accepted, hypothesis, measure, average,
    value, ci_low, ci_high, sd, documents, defined, skill, skill_low, skill_high, document_set,
    effective, freedom, answers, failed_answers, undivided_answers, edit_rate, trials, sd_trials,
    sd_documents, self_agreement, stable_boundaries, trials_needed, shared_documents, shared_value,
    shared_ci_low, shared_ci_high, shared_defined, shared_skill, shared_skill_low, shared_skill_high,
    groups_of(to_json(average_row), ['run', 'date', 'signature', 'version', 'outcome', 'gate',
        'test_set', 'good', 'accepted', 'hypothesis', 'measure', 'average', 'value', 'ci_low',
        'ci_high', 'sd', 'documents', 'defined', 'skill', 'skill_low', 'skill_high', 'document_set',
        'effective', 'freedom', 'answers', 'failed_answers', 'undivided_answers', 'edit_rate',
        'trials', 'sd_trials', 'sd_documents', 'self_agreement', 'stable_boundaries',
        'trials_needed', 'shared_documents', 'shared_value', 'shared_ci_low', 'shared_ci_high',
        'shared_defined', 'shared_skill', 'shared_skill_low', 'shared_skill_high']) AS groups
FROM read_parquet(archive() || '/history/history.parquet', hive_partitioning = false)
    AS average_row;

-- Averages by night, each with the change since the previous night with the same signature.
CREATE OR REPLACE VIEW trend AS
SELECT date, CAST(date AS TIMESTAMP) AS time, hypothesis, measure, average, groups, value, ci_low,
    ci_high, documents, defined, skill, skill_low, skill_high, document_set, effective, freedom,
    answers, failed_answers, undivided_answers, edit_rate, trials, sd_trials, sd_documents,
    self_agreement, stable_boundaries, trials_needed,
    shared_documents, shared_value, shared_ci_low, shared_ci_high, shared_defined, shared_skill,
    shared_skill_low, shared_skill_high, outcome, gate, good, accepted, signature,
    value - lag(value) OVER before AS change
FROM history
WHERE date IS NOT NULL
WINDOW before AS (PARTITION BY hypothesis, measure, average, groups, signature ORDER BY date);

-- The averages of each system on its last good night, which later nights are compared with.
CREATE OR REPLACE VIEW latest_good AS
SELECT *
FROM history
WHERE date IS NOT NULL AND good
QUALIFY date = max(date) OVER (PARTITION BY hypothesis);

-- The published nights: their run.json, and night.json if it belongs to the same run.
CREATE OR REPLACE VIEW nights AS
SELECT date_of(run) AS date, CAST(date_of(run) AS TIMESTAMP) AS time, run, signature, fingerprint,
    outcome, coalesce(good, false) AS good, exit_code, finished_at, pairs,
    rows['hypotheses'].scored AS scored,
    CAST(list_sum(list_transform(map_values(rows), lambda counts: counts.rejected)) AS BIGINT)
        AS rejected,
    CAST(list_sum(list_transform(map_values(rows), lambda counts: counts.unpaired)) AS BIGINT)
        AS unpaired,
    list_sum(map_values(seconds)) AS seconds, missing, new, checks,
    group_checks, files, densities
FROM (
    SELECT folder_of(filename, 1) AS run, signature, fingerprint, pairs, rows, seconds, files
    FROM read_json(archive() || '/date=*/run.json', format = 'unstructured', filename = true,
        hive_partitioning = false, columns = {
            signature: 'VARCHAR', fingerprint: 'VARCHAR', pairs: 'BIGINT',
            rows: 'MAP(VARCHAR, STRUCT(scored BIGINT, rejected BIGINT, unpaired BIGINT))',
            seconds: 'MAP(VARCHAR, DOUBLE)', files: 'MAP(VARCHAR, VARCHAR[])'})
)
LEFT JOIN (
    SELECT folder_of(filename, 1) AS run, judged AS fingerprint, outcome, good, exit_code,
        finished_at, missing, new, checks, group_checks, densities
    FROM (SELECT * RENAME (run AS judged)
        FROM read_json(archive() || '/date=*/night.json', format = 'unstructured',
            filename = true, hive_partitioning = false, columns = {
                run: 'VARCHAR', outcome: 'VARCHAR', good: 'BOOLEAN', exit_code: 'BIGINT',
                densities: 'STRUCT(system VARCHAR, "group" VARCHAR, boundaries BIGINT,
                    units BIGINT)[]',
                finished_at: 'TIMESTAMP', missing: 'VARCHAR[]', new: 'VARCHAR[]',
                checks: 'STRUCT(rule VARCHAR, system VARCHAR, measure VARCHAR, average VARCHAR, "group" VARCHAR,
                    "limit" DOUBLE, against DATE, value DOUBLE, before DOUBLE, documents BIGINT,
                    documents_before BIGINT, shared BIGINT, change DOUBLE, standard_error DOUBLE,
                    p DOUBLE, p_adjusted DOUBLE, result VARCHAR, nights BIGINT,
                    "between" DOUBLE, calibrated BIGINT, ends DOUBLE[], since DATE, "until" DATE, is_raw BOOLEAN,
                    moved STRUCT(document_id VARCHAR,
                    value DOUBLE, before DOUBLE, shared BOOLEAN)[])[]',
                group_checks: 'STRUCT(rule VARCHAR, system VARCHAR, measure VARCHAR, average VARCHAR, "group" VARCHAR,
                    "limit" DOUBLE, against DATE, value DOUBLE, before DOUBLE, documents BIGINT,
                    documents_before BIGINT, shared BIGINT, change DOUBLE, standard_error DOUBLE,
                    p DOUBLE, p_adjusted DOUBLE, result VARCHAR, nights BIGINT,
                    "between" DOUBLE, calibrated BIGINT, ends DOUBLE[], since DATE, "until" DATE, is_raw BOOLEAN,
                    moved STRUCT(document_id VARCHAR,
                    value DOUBLE, before DOUBLE, shared BOOLEAN)[])[]'}))
) USING (run, fingerprint)
WHERE date_of(run) IS NOT NULL AND list_contains(map_keys(rows), 'hypotheses');

-- Results of the gate: every rule for every system of every night.
CREATE OR REPLACE VIEW gate AS
SELECT date, time, outcome, unnest(checks, max_depth := 2)
FROM nights;

-- The same in each group, for systems and for their mean, of gate-by.
CREATE OR REPLACE VIEW group_gate AS
SELECT date, time, outcome, unnest(group_checks, max_depth := 2)
FROM nights;

-- Boundaries and units of the references (whose system is null) and of the systems, by night.
CREATE OR REPLACE VIEW densities AS
SELECT date, time, system, "group", coalesce("group", 'all') AS place, boundaries, units,
    boundaries / nullif(units, 0) AS per_unit
FROM (SELECT date, time, unnest(densities, max_depth := 2) FROM nights);

-- Every rule about levels for every system of every night; place is the group, or 'all'.
CREATE OR REPLACE VIEW levels AS
SELECT date, time, outcome, rule, system, "group", coalesce("group", 'all') AS place, measure, average, value, before, change,
    p_adjusted, since, nights AS baseline_nights, result
FROM (SELECT * FROM gate UNION ALL BY NAME SELECT * FROM group_gate)
WHERE regexp_matches(rule, '^(level|common):[^<>]*[<>]=([-+]|0*[.]?0*$)');

-- How averages changed when nights were scored again, as of the last `segscore trend --table`.
CREATE OR REPLACE VIEW restatements AS
SELECT CAST(date AS TIMESTAMP) AS time,
    * REPLACE (make_timestamp(epoch_us(restated_at)) AS restated_at)
FROM read_parquet(archive() || '/history/_restatements/restatements.parquet', hive_partitioning = false);

-- The documents that worsened most on nights that failed.
CREATE OR REPLACE VIEW moved AS
SELECT date, time, rule, system, measure, unnest(moved, max_depth := 2)
FROM gate;

-- The scores of one night, from the files that its run.json lists: scores_of('2026-01-31').
CREATE OR REPLACE MACRO scores_of(night) AS TABLE
SELECT scored.* EXCLUDE (filename)
FROM read_parquet(archive() || '/date=' || night || '/scores/*.parquet', union_by_name = true,
    filename = true, hive_partitioning = false) AS scored
WHERE parse_filename(filename) IN (
    SELECT unnest(files['scores']) FROM nights WHERE date = CAST(night AS DATE));

-- The documents of one night, the worst first, by the mean over references (and levels, in a run by
-- level) of a column of scores.
-- Empty if scores has no such column, as for win_diff_prime.
CREATE OR REPLACE MACRO worst_documents(night, measured) AS TABLE
SELECT document_id, hypothesis, avg(score) AS value,
    count(DISTINCT CASE WHEN score IS NOT NULL THEN reference END) AS "references"
FROM (
    SELECT document_id, hypothesis, reference,
        greatest(*COLUMNS(lambda name: name IN (measured, 'nothing'))) AS score
    FROM (SELECT *, CAST(NULL AS DOUBLE) AS nothing FROM scores_of(night))
    WHERE NOT starts_with(reference, 'consensus:'))
GROUP BY document_id, hypothesis
HAVING count(score) > 0
ORDER BY avg(score) * (SELECT better FROM directions WHERE measure = measured), document_id,
    hypothesis;
