"""The blocks of docs/python.md, in order, as a reader runs them."""

import os
import pathlib
import re

PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"


def test_the_page_runs(tmp_path, monkeypatch):
    # `cargo xtask figures` takes the pictures of the page from there.
    folder = pathlib.Path(os.environ.get("HUYGENS_MANUAL", tmp_path)) / "python"
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(folder)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) >= 6
    scope = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), scope)
    assert scope["found"].misfits[-1][-1] < 0.7 * scope["found"].misfits[-1][0], "the misfit falls"
    x, _, z = scope["located"].sources[0]["at"]
    assert abs(x - 900) < 30 and abs(z - 700) < 30
    for name in ("shot", "wave", "image", "gradient", "inverted"):
        assert (folder / f"{name}.png").stat().st_size > 10_000, name
