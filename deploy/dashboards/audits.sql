-- DuckDB views of the audits in a folder, which are runs of `segscore agree`; views.sql is not needed.
--     CREATE MACRO audit_archive() AS 's3://archive/audits';
-- An audit has a date if its folder is named by one, such as date=2026-01-31.

CREATE MACRO IF NOT EXISTS audit_archive() AS 'archive/audits';

-- The folder of a run, from the name of one of its files, which is this many levels below it.
CREATE MACRO IF NOT EXISTS folder_of(file, level) AS string_split(file, '/')[-1 - level];

-- The date of a night, from the name of its folder; null for any other folder.
CREATE MACRO IF NOT EXISTS date_of(folder) AS
    TRY_CAST(regexp_extract(folder, '^date=(\d{4}-\d{2}-\d{2})$', 1) AS DATE);

-- The groups of a row, from its columns other than the table's own: 'program=news'; null over all.
CREATE MACRO IF NOT EXISTS groups_of(row_json, own_columns) AS nullif(array_to_string(list_transform(
    list_filter(json_keys(row_json), lambda name: NOT list_contains(own_columns, name)
        AND json_extract_string(row_json, '$."' || name || '"') IS NOT NULL),
    lambda name: name || '=' || json_extract_string(row_json, '$."' || name || '"')), ', '), '');

-- The finished audits, and the files of each.
CREATE OR REPLACE VIEW audits AS
SELECT run AS audit, date_of(run) AS date, CAST(date_of(run) AS TIMESTAMP) AS time, signature,
    fingerprint, pairs, rows['codings'].scored AS scored, rows['codings'].rejected AS rejected,
    rows['codings'].unpaired AS unpaired, files
FROM (
    SELECT folder_of(filename, 1) AS run, signature, fingerprint, pairs, rows, files
    FROM read_json(audit_archive() || '/*/run.json', format = 'unstructured', filename = true,
        hive_partitioning = false, columns = {
            signature: 'VARCHAR', fingerprint: 'VARCHAR', pairs: 'BIGINT',
            rows: 'MAP(VARCHAR, STRUCT(scored BIGINT, rejected BIGINT, unpaired BIGINT))',
            files: 'MAP(VARCHAR, VARCHAR[])'})
)
WHERE list_contains(map_keys(rows), 'codings');

-- Whether the run.json of the audit lists a file.
CREATE OR REPLACE MACRO is_listed(file) AS (folder_of(file, 2), folder_of(file, 1),
    parse_filename(file)) IN (
        SELECT (audit, listed.key, unnest(listed.value))
        FROM (SELECT audit, unnest(map_entries(files)) AS listed FROM audits));

-- Coefficients of each audit, over all documents and by group.
CREATE OR REPLACE VIEW agreement AS
SELECT folder_of(filename, 2) AS audit, date_of(folder_of(filename, 2)) AS date,
    CAST(date_of(folder_of(filename, 2)) AS TIMESTAMP) AS time, coefficient, similarity, actual,
    expected, value, ci_low, ci_high, coders_low, coders_high, codings, coders, documents, pairs,
    change, change_low, change_high, change_p, same_coders, joined_coders, left_coders,
    same_coders_change, same_coders_low, same_coders_high, chance, corrected, chance_documents,
    groups_of(to_json(audit_row), ['coefficient', 'similarity', 'actual', 'expected', 'value', 'ci_low',
        'ci_high', 'codings', 'coders', 'documents', 'pairs', 'change', 'change_low', 'change_high',
        'change_p', 'coders_low', 'coders_high', 'same_coders', 'joined_coders', 'left_coders',
        'same_coders_change', 'same_coders_low', 'same_coders_high', 'chance', 'corrected',
        'chance_documents', 'filename']) AS groups
FROM (
    SELECT unnest(CAST(NULL AS STRUCT(change DOUBLE, change_low DOUBLE, change_high DOUBLE,
        change_p DOUBLE, coders_low DOUBLE, coders_high DOUBLE,
        same_coders DOUBLE, joined_coders DOUBLE, left_coders DOUBLE, same_coders_change DOUBLE,
        same_coders_low DOUBLE, same_coders_high DOUBLE, chance DOUBLE, corrected DOUBLE,
        chance_documents BIGINT)))
    WHERE false
    UNION ALL BY NAME
    FROM read_parquet(audit_archive() || '/*/agreement/*.parquet', union_by_name = true,
        filename = true, hive_partitioning = false)
) AS audit_row
WHERE is_listed(filename);

-- Coders of each audit: their rates, their agreement with peers, and the agreement of the group
-- without them.  Columns that audits of an earlier version lack are null.
CREATE OR REPLACE VIEW coders AS
SELECT folder_of(filename, 2) AS audit, date_of(folder_of(filename, 2)) AS date,
    CAST(date_of(folder_of(filename, 2)) AS TIMESTAMP) AS time,
    coder, documents, peers, boundaries, rate, outlying_rate, low_agreement, peer_drift,
    peer_drift_p, drifting, agreement_effect, agreement_error, boundary_offset,
    boundary_offset_error, rate_ratio, rate_ratio_deviation, shifted, drift_from, drift_to,
    drift_start, agreement_limit, reading, same_reading_similarity, other_reading_similarity,
    group_difference, elsewhere_similarity, weaker_in_group, peer_boundary_similarity_low,
    peer_boundary_similarity_high, self_pairs, self_boundary_similarity,
    self_boundary_similarity_low, self_boundary_similarity_high, candidate_documents,
    candidate_share, coder_share, candidate_p, candidate_wins, reading_ratio_of_rates,
    reading_offset, candidate_worse, others_boundary_similarity, shrunk_effect,
    peer_boundary_similarity, without_pi_boundary_similarity,
    groups_of(to_json(audit_row), ['coder', 'documents', 'peers', 'boundaries',
        'potential_boundaries', 'rate', 'outlying_rate', 'low_agreement', 'peer_drift',
        'peer_drift_p', 'drifting',
        -- of audits before 0.3
        'peer_segmentation_similarity', 'peer_exact', 'peer_two_category',
        'rate_mean', 'rate_sd', 'deviation', 'flagged', 'rate_median', 'rate_mad', 'rate_deviation',
        'peer_median', 'peer_mad', 'peer_deviation',
        'without_kappa_boundary_similarity', 'without_bias_boundary_similarity',
        'without_pi_segmentation_similarity', 'without_kappa_segmentation_similarity',
        'without_bias_segmentation_similarity', 'without_pi_exact',
        'without_kappa_exact', 'without_bias_exact',
        'without_pi_two_category', 'without_kappa_two_category',
        'without_bias_two_category', 'without_alpha_two_category',
        'without_ac1_two_category', 'peer_segmentation_similarity_low',
        'peer_segmentation_similarity_high', 'peer_exact_low',
        'peer_exact_high', 'peer_two_category_low',
        'peer_two_category_high', 'self_segmentation_similarity',
        'self_segmentation_similarity_low', 'self_segmentation_similarity_high',
        'self_exact', 'self_exact_low',
        'self_exact_high', 'self_two_category',
        'self_two_category_low', 'self_two_category_high',
        'agreement_p', 'aligned_effect', 'candidate_similarity', 'group_difference_error',
        'group_difference_p', 'reading_document', 'reading_position', 'reading_ratio', 'standard',
        -- of this version
        'agreement_effect', 'agreement_error', 'boundary_offset', 'boundary_offset_error',
        'rate_ratio', 'rate_ratio_deviation', 'shifted', 'drift_from', 'drift_to', 'drift_start',
        'agreement_limit', 'reading', 'same_reading_similarity', 'other_reading_similarity',
        'group_difference', 'elsewhere_similarity', 'weaker_in_group',
        'peer_boundary_similarity_low', 'peer_boundary_similarity_high', 'self_pairs',
        'self_boundary_similarity', 'self_boundary_similarity_low',
        'self_boundary_similarity_high', 'candidate_documents', 'candidate_share', 'coder_share',
        'candidate_p', 'candidate_wins', 'reading_ratio_of_rates', 'reading_offset',
        'candidate_worse', 'others_boundary_similarity', 'shrunk_effect',
        'peer_boundary_similarity', 'without_pi_boundary_similarity', 'filename']) AS groups
FROM (
    SELECT unnest(CAST(NULL AS STRUCT(
        outlying_rate BOOLEAN, low_agreement BOOLEAN, peer_drift DOUBLE, peer_drift_p DOUBLE,
        drifting BOOLEAN, agreement_effect DOUBLE, agreement_error DOUBLE, boundary_offset DOUBLE,
        boundary_offset_error DOUBLE, rate_ratio DOUBLE, rate_ratio_deviation DOUBLE,
        shifted BOOLEAN, drift_from VARCHAR, drift_to VARCHAR, drift_start DOUBLE,
        agreement_limit DOUBLE, reading VARCHAR, same_reading_similarity DOUBLE,
        other_reading_similarity DOUBLE, group_difference DOUBLE, elsewhere_similarity DOUBLE,
        weaker_in_group BOOLEAN, peer_boundary_similarity_low DOUBLE,
        peer_boundary_similarity_high DOUBLE, self_pairs BIGINT, self_boundary_similarity DOUBLE,
        self_boundary_similarity_low DOUBLE, self_boundary_similarity_high DOUBLE,
        candidate_documents BIGINT, candidate_share DOUBLE, coder_share DOUBLE, candidate_p DOUBLE,
        candidate_wins BOOLEAN, reading_ratio_of_rates DOUBLE, reading_offset DOUBLE,
        candidate_worse BOOLEAN, others_boundary_similarity DOUBLE, shrunk_effect DOUBLE)))
    WHERE false
    UNION ALL BY NAME
    FROM read_parquet(audit_archive() || '/*/coders/*.parquet', union_by_name = true,
        filename = true, hive_partitioning = false)
) AS audit_row
WHERE is_listed(filename);

-- Positions about which coders disagree: some have a boundary at most half a window away, others do
-- not. `disagreement` is the share of pairs of coders of whom exactly one has such a boundary; the
-- window is that of the document.
CREATE OR REPLACE VIEW contested AS
SELECT folder_of(filename, 2) AS audit, date_of(folder_of(filename, 2)) AS date,
    CAST(date_of(folder_of(filename, 2)) AS TIMESTAMP) AS time, document_id, position, "window",
    coders, coders_within_half_window AS supporters, support_half_window AS support,
    2 * coders_within_half_window * (coders - coders_within_half_window) / (coders * (coders - 1))
        AS disagreement
FROM read_parquet(audit_archive() || '/*/prominence/*.parquet', union_by_name = true,
    filename = true, hive_partitioning = false)
WHERE is_listed(filename) AND coders_within_half_window < coders;
