"""Auto-check: a file of responses in, the same file with a verdict on every row out. No database is used.

Input: CSV or JSON Lines with the columns candidate, family, seed, part, response (further ones are
kept). Output: the input's columns, then verdict, score, expected, diagnosis, reason; the same format,
delimiter, line endings and encoding; one row for every row, in the same order; byte for byte the same
for the same input.

`diagnosis` is written `one|other` where either mistake gives the answer, `one+other` where only both at once
do, `slip_…` for a common slip; it is empty for right answers and for mistakes that are not known (see
`quiz.exercises.diagnosis`). Rows excuse nothing: a value that is right from the same candidate's wrong
earlier one is wrong.

A file is refused (`Refusal`, naming line and column) only when its rows cannot be told apart or a
column is missing. Whatever is wrong within a row is that row's verdict: `unknown` when family, seed or
part name nothing, `malformed` when the response cannot be read, `grader_fault` when judging it fails in
this program. A JSON line that is no object, or cannot be repeated as it is, is a malformed row whose
`response` is the line.

columns     the names
refusing    why a file as a whole cannot be read
decoding    bytes to text: encodings, and the place of what does not decode
tables      CSV: delimiter, header, rows, writing
jsonlines   JSON Lines
lossless    JSON values that Python would change unnoticed
judging     one row to its verdict
pooling     many rows on several processes, order kept, memory bounded
running     the whole: path in, path or stream out
"""
