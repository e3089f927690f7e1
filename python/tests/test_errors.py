"""Mistakes of a caller: each is an exception of a class of Python, and names the argument in Python's words."""

import re

import numpy as np
import pytest

import huygens
from setups import JOB, model, survey

RICKER = huygens.ricker(15)
GOOD = huygens.Shot(huygens.Source((200, 30), RICKER), [(400, 30)])


def one(**keys):
    return huygens.Survey(model(), GOOD, 0.2, **keys)


# What is called, the class, and a part of the message.
MISTAKES = [
    (lambda: huygens.Source(400, RICKER), ValueError, "at is 400; give x and z"),
    (lambda: huygens.Source((1, 2, 3, 4), RICKER), ValueError, "at is (1, 2, 3, 4); give x and z"),
    (lambda: huygens.Source("ab", RICKER), ValueError, "at is 'ab'"),
    (lambda: huygens.Source((1, 2), 15.0), ValueError, "wavelet is a float; give what huygens.ricker"),
    (lambda: huygens.Source((1, 2), RICKER, amplitude="big"), ValueError, "amplitude is 'big'; give a number"),
    (lambda: huygens.Source((1, 2), RICKER, dipole="w"), ValueError, "dipole is 'w'"),
    (lambda: huygens.Shot((200, 30), [(1, 2)]), ValueError, "sources is a tuple; give a huygens.Source"),
    (lambda: huygens.shot(huygens.Survey(model(), huygens.Shot(GOOD.sources, 5), 0.2)), ValueError, "receivers have the shape ()"),
    (lambda: huygens.shot(huygens.Survey(model(), huygens.Shot(GOOD.sources, "ab"), 0.2)), ValueError, "receivers is a str"),
    (lambda: huygens.Survey(np.ones((3, 4)), GOOD, 0.2), ValueError, "model is a ndarray; give a huygens.Model"),
    (lambda: huygens.Survey(model(), 7, 0.2), ValueError, "shots is a int; give a huygens.Shot"),
    (lambda: huygens.Survey(model(), GOOD, "long"), ValueError, "duration is 'long'; give seconds"),
    (lambda: one().through(np.ones((3, 4))), ValueError, "model is a ndarray"),
    (lambda: huygens.shot(one(), engine=5), ValueError, "engine is 5; give a huygens.Engine"),
    (lambda: huygens.shot(one(), engine="abacus"), ValueError, "abacus"),
    (lambda: huygens.shot(5), ValueError, "a int is no job; give a Survey"),
    (lambda: huygens.Model(np.ones(5), 10.0), ValueError, "velocity has the shape (5,)"),
    (lambda: model().with_velocity(np.ones((3, 4))), ValueError, "the shape (3, 4), and the model (81, 61)"),
    (lambda: huygens.plot(np.ones((3, 4)), model()), ValueError, "the shape (3, 4), and the model (81, 61)"),
    (lambda: huygens.gradient(one(), np.ones((1, 1, 1, 1))), ValueError, "observed has the shape (1, 1, 1, 1)"),
    (lambda: huygens.gradient(one(), np.ones((1, 3, 9))), ValueError, "3 traces of shot 1, which has 1 receivers"),
    (lambda: huygens.gradient("job.toml", misfit="l2"), ValueError, "keys of gradient go into a Survey or a dict"),
    (lambda: huygens.Model.read("none.npy"), FileNotFoundError, "none.npy"),
    (lambda: huygens.read_gathers("none.sgy"), FileNotFoundError, "none.sgy"),
    (lambda: huygens.gradient(one(), "none.sgy"), FileNotFoundError, "none.sgy"),
    (lambda: huygens.shot("none.toml"), FileNotFoundError, "none.toml"),
    (lambda: huygens.shot(huygens.Survey("none.rsf", GOOD, 0.2)), FileNotFoundError, "none.rsf"),
    # What the plan refuses.
    (lambda: huygens.shot(huygens.Survey(model(), GOOD, -1.0)), ValueError, "duration"),
    (lambda: huygens.shot(one(step=0.1)), ValueError, "stable"),
    (lambda: huygens.shot(one(record=1e-9)), ValueError, "time: 0.2 s in steps of 1 ns"),
    (lambda: huygens.shot(one(operator={"kind": "taylor", "order": 3})), ValueError, "order"),
    (lambda: huygens.shot(one(boundary={"top": "open"})), ValueError, "there is no choice open; there are absorb"),
    (lambda: huygens.shot(one(snapshots=[5.0])), ValueError, "snapshot"),
    (lambda: huygens.shot(one(boundary={"top": ["free"]})), ValueError, 'boundary["top"]: '),
    (lambda: huygens.shot(one(boundary="free")), ValueError, 'give a dict, boundary={"sides": ..., "top": ...}'),
    (lambda: huygens.shot(one(operator="taylor")), ValueError, 'give a dict, operator={"kind": "taylor" or '),
    (lambda: huygens.shot(one(step=-1.0)), ValueError, "step is -1 s; "),
    (lambda: huygens.shot(one(dispersion="kelp")), ValueError, "dispersion: there is no choice kelp"),
    (lambda: huygens.shot(one(epsilon=0.1, delta=0.3)), ValueError, "give a delta up to epsilon, such as np.minimum"),
    (lambda: huygens.shot(huygens.Survey(model(), GOOD, float("nan"))), ValueError, "duration is nan; give a finite number"),
    (lambda: huygens.Survey(model(), GOOD, 0.2, snapshots=0.1), ValueError, "snapshots is 0.1; give a list of times"),
    (lambda: huygens.samples([1.0, 2.0], "slow"), ValueError, "interval is 'slow'; give seconds"),
    (lambda: huygens.rtm(one(), interval=-1.0), ValueError, "interval: -1 is not available"),
    (lambda: huygens.gradient(one()), ValueError, "give observed="),
    (lambda: huygens.gradient(one(), misfit=lambda modelled, _: 3.0), ValueError, "misfit gave a float; give J and its derivative"),
    (lambda: huygens.gradient(one(), np.zeros((1, 1, 9)), sample_interval="a"), ValueError, "sample_interval is 'a'; give seconds"),
    (lambda: huygens.rtm(one(), smooth=-3.0), ValueError, "smooth: -3 is not available"),
    (lambda: huygens.rtm(one(), angles={"most": 40.0, "step": 2.0}), ValueError, "give offsets along x"),
    (lambda: huygens.lsrtm(one(), iterations=0), ValueError, "or take huygens.rtm"),
    (lambda: huygens.lsrtm(one(), rtm=3), ValueError, "rtm is a int; give a dict"),
    (lambda: huygens.shot(one(), progress=5), ValueError, "progress is 5; give True or a function"),
    (lambda: huygens.write_gathers("x.sgy", 5), ValueError, "gathers is a int; give a huygens.Gather, or a list of them"),
    (lambda: huygens.shot(huygens.Survey(model(), huygens.Shot(GOOD.sources, [(4000, 30)]), 0.2)), ValueError, "4000"),
    (lambda: huygens.shot(huygens.Survey(model(), huygens.Shot(huygens.Source((200, 30), huygens.ricker(70)), [(400, 30)]), 0.2)), ValueError, "force=True"),
    (lambda: huygens.shot(huygens.Survey(huygens.Model(np.full((81, 61), 2.0), 10.0), GOOD, 0.2)), ValueError, "m/s"),
    (lambda: huygens.rtm(huygens.Survey(model(), huygens.Shot(GOOD.sources, np.zeros((0, 2))), 0.2), [np.zeros((0, 5))]), ValueError, "give receivers"),
    (lambda: huygens.rtm(one(), wavefield="none"), ValueError, "there is no choice none; there are auto"),
    (lambda: huygens.invert(one(), np.zeros((1, 1, 9)), sample_interval=0.01, bands=[-1.0]), ValueError, "a band up to"),
    (lambda: huygens.locate(one(), 5), ValueError, "a int is no gather"),
    (lambda: huygens.shot(one(nonsense={"a": 1})), ValueError, "nonsense"),
    (lambda: huygens.shot(JOB.replace("ricker", "rocker")), ValueError, "rocker"),
    (lambda: huygens.zero_offset(one(), np.ones((3, 4, 5))), ValueError, "the shape (3, 4, 5)"),
]


@pytest.mark.usefixtures("backend")
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("run, kind, part", MISTAKES, ids=[part for _, _, part in MISTAKES])
def test_a_mistake_is_named_in_words_of_python(run, kind, part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(huygens.InputError) as told:
        run()
    message = str(told.value)
    assert isinstance(told.value, kind) and part in message, message
    # No flag, no table of a job file, no command.
    assert not re.search(r"(^|[\s(`])--[a-z]|(^|\s)\[[a-z]+\](\s|,|;|$)|`huygens ", message), message
