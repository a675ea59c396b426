"""Files that Spark reads and writes, as on a cluster."""

import duckdb
import numpy as np
import pytest
from tests.tables.engines import marks_of, spark

import corral
from corral.errors import ParameterError, SignalsError

pytestmark = marks_of("spark")
VOTES = np.random.default_rng(0).integers(-1, 2, size=(200, 3))


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_a_folder_in_a_folder_out(tmp_path, kind):
    frame = spark().createDataFrame(
        [(j, *row) for j, row in enumerate(VOTES.tolist())], ["id", "a", "b", "c"]
    )
    source, output = tmp_path / f"votes.{kind}", tmp_path / f"labels.{kind}"
    frame.write.options(header=True).format(kind).save(str(source))
    labeler = corral.ConstrainedLabeler(0.4)
    options = {"id": "id", "engine": "spark", "labeler": labeler}
    assert corral.label(source, output=output, **options) == output
    assert (output / "_SUCCESS").exists()
    found = duckdb.sql(
        f"SELECT id, p_1 FROM '{output}/*.{kind}' ORDER BY id"
    ).fetchall()
    expected = labeler.predict_proba(VOTES)[:, 1]
    np.testing.assert_allclose([p for _, p in found], expected, rtol=0, atol=1e-12)
    with pytest.raises(ParameterError, match=r"exists already.*overwrite=True"):
        corral.label(source, output=output, **options)
    corral.label(source, output=output, overwrite=True, **options)
    for other in (source, source / "labels.csv", tmp_path):
        with pytest.raises(ParameterError, match="input"):
            corral.label(source, output=other, overwrite=True, **options)
    assert len(list(source.glob(f"*.{kind}"))) > 0, "the input is still there"


def test_refused(tmp_path):
    with pytest.raises(SignalsError, match="Spark cannot read"):
        corral.label(tmp_path / "nothing", output=tmp_path / "o", engine="spark")
    with pytest.raises(ParameterError, match="spark-submit"):
        corral.label(tmp_path, output=tmp_path / "o", engine="spark", threads=2)
