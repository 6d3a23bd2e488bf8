"""The package root hands on what it says, and nothing else."""

from __future__ import annotations

from types import ModuleType

import riskanalytics as ra


def test_every_exported_name_is_there_and_documented() -> None:
    assert len(ra.__all__) <= 25
    for name in ra.__all__:
        value = getattr(ra, name)
        assert value.__doc__, name


def test_every_exported_name_is_the_same_object_each_time() -> None:
    assert {name: getattr(ra, name) for name in ra.__all__} == {name: getattr(ra, name) for name in ra.__all__}
    modules = {name for name in ra.__all__ if isinstance(getattr(ra, name), ModuleType)}
    assert modules == set(ra._MODULES)


def test_the_version_is_that_of_the_installation() -> None:
    assert ra.__version__.count(".") == 2


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(ra, "nonsense")
    assert set(ra.__all__) <= set(dir(ra))
