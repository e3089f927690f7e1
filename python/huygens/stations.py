"""Gathers of seismic networks: traces of ObsPy with the positions of their stations."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Callable, Sequence

import numpy as np

from ._huygens import InputError, Model
from .gather import Gather

Project = Callable[[float, float], Sequence[float]]

_PROJECTION = "pyproj.Transformer.from_crs(4326, 32633, always_xy=True).transform"


def from_obspy(stream: Any, inventory: Any, *, project: Project | None = None, model: Model | None = None) -> Gather:
    """A gather of a stream of ObsPy, with the positions of its stations and the time of its first sample.

    Parameters
    ----------
    stream
        A Stream: one trace of each receiver, all of one length, rate and start.
    inventory
        An Inventory of ObsPy, or a mapping from a station ("STA", "NET.STA" or the id of a trace) to its easting, northing
        and elevation, metres. The elevation of an Inventory is that of the channel, or else that of the station.
    project
        Makes easting and northing, metres, of a longitude and a latitude, degrees; an Inventory needs it.
    model
        Places the receivers in this model, by its origin and the direction of its axes. By default x is the easting,
        y the northing and z the negative elevation.

    Returns
    -------
    Gather
        Its `start` is the time of the first sample, UTC.
    """
    traces = list(stream)
    if not traces:
        raise InputError("the stream has no traces; give one of each receiver")
    _check(traces)
    if not isinstance(inventory, Mapping) and project is None:
        raise InputError(
            "an Inventory has longitudes and latitudes, and positions are metres; give project, such as "
            f"{_PROJECTION} of pyproj, or a mapping from stations to easting, northing and elevation"
        )
    on_map = np.array([_on_map(trace, inventory, project) for trace in traces])
    start = traces[0].stats.starttime.datetime.replace(tzinfo=datetime.timezone.utc)
    return Gather(
        np.stack([np.asarray(trace.data, np.float32) for trace in traces]),
        float(traces[0].stats.delta),
        _in_model(on_map, model),
        start=start,
    )


def _check(traces: list[Any]) -> None:
    """Refuses traces that are no gather: with gaps, in pieces, or of several lengths, rates or starts."""
    names = [trace.id for trace in traces]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"the stream has several traces of {twice[0]}; join them, such as with stream.merge(fill_value=0)")
    if gaps := [trace.id for trace in traces if np.ma.is_masked(trace.data)]:
        raise InputError(f"{gaps[0]} has gaps; fill them, such as with stream.merge(fill_value=0)")
    first = traces[0]
    for trace in traces[1:]:
        if trace.stats.delta != first.stats.delta:
            rates = f"{first.id} has {first.stats.delta:g} s between samples, and {trace.id} {trace.stats.delta:g} s"
            raise InputError(f"{rates}; give one rate, such as with stream.resample")
        apart = abs(trace.stats.starttime - first.stats.starttime)
        if apart > 0.5 * first.stats.delta or len(trace.data) != len(first.data):
            raise InputError(
                f"{first.id} has {len(first.data)} samples from {first.stats.starttime} on, and {trace.id} {len(trace.data)} from "
                f"{trace.stats.starttime} on; cut them with stream.trim(start, end, pad=True, fill_value=0)"
            )


def _on_map(trace: Any, inventory: Any, project: Project | None) -> tuple[float, float, float]:
    """Easting, northing and elevation of a trace's receiver, metres."""
    if isinstance(inventory, Mapping):
        of = trace.stats
        for name in (trace.id, f"{of.network}.{of.station}", of.station):
            if name in inventory:
                at = np.asarray(inventory[name], float)
                if at.shape != (3,):
                    raise InputError(f"{name} is at {inventory[name]!r}; give easting, northing and elevation, metres")
                return float(at[0]), float(at[1]), float(at[2])
        raise InputError(f"{trace.id} has no position; add {of.network}.{of.station} to the mapping")
    longitude, latitude, elevation = _coordinates(trace, inventory)
    assert project is not None
    east, north = project(longitude, latitude)
    return float(east), float(north), elevation


def _coordinates(trace: Any, inventory: Any) -> tuple[float, float, float]:
    """Longitude, latitude and elevation of a trace's channel, or of its station if the channel is not listed."""
    of = trace.stats
    stations = inventory.select(network=of.network, station=of.station, time=of.starttime)
    found = [station for network in stations for station in network]
    if not found:
        raise InputError(f"the inventory has no {of.network}.{of.station} at {of.starttime}; leave its trace out")
    channels = [
        channel
        for station in found
        for channel in station
        if (channel.code, channel.location_code) == (of.channel, of.location) and channel.is_active(time=of.starttime)
    ]
    place = channels[0] if channels else found[0]
    return float(place.longitude), float(place.latitude), float(place.elevation)


def _in_model(on_map: np.ndarray, model: Model | None) -> np.ndarray:
    """x, y and z, metres, of easting, northing and elevation."""
    if model is None:
        return on_map * (1.0, 1.0, -1.0)
    east, north, elevation = (on_map - np.array(model.origin)).T
    azimuth = np.radians(model.azimuth)
    x = east * np.sin(azimuth) + north * np.cos(azimuth)
    left = north * np.sin(azimuth) - east * np.cos(azimuth)
    return np.column_stack([x, left if model.y_axis == "left" else -left, -elevation])
