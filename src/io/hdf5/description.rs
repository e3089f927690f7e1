//! What a file says of an array: its axes and its unit, in attributes and in the arrays beside it.

use super::cf::Packing;
use crate::file_axis::FileAxis;
use hdf5_pure::{AttrValue, Dataset};
use std::collections::HashMap;

/// Relative tolerance of the distances between coordinates, which may be f32.
const UNEVEN: f64 = 1e-4;
/// The unit of JUDI's squared slowness, an array `m` beside `n`, `d` and `o`.
const JUDI: &str = "s2/km2";
/// The name of a dimension of netCDF that has no coordinates.
const WITHOUT_COORDINATES: &str = "This is a netCDF dimension but not a netCDF variable";
/// Names of vertical axes that point up.
const UP: [&str; 3] = ["elevation", "height", "altitude"];

pub(super) type Attributes = HashMap<String, AttrValue>;

/// The attributes of an array; none where one of them is of no readable kind.
pub(super) fn attributes(array: &Dataset) -> Attributes {
    array.attrs().unwrap_or_default()
}

/// Descriptions of an array, in its attributes and in the arrays beside it.
pub(super) struct ArrayDescription<'a> {
    name: &'a str,
    shape: &'a [u64],
    found: &'a [(String, Dataset)],
    /// Axes whose values are in the order of falling depths, x or y.
    pub(crate) turned: Vec<usize>,
    pub(crate) warnings: Vec<String>,
}

/// An array of coordinates along a dimension.
struct Scale<'a> {
    name: &'a str,
    array: &'a Dataset,
    attributes: Attributes,
}

impl<'a> ArrayDescription<'a> {
    pub(crate) fn new(name: &'a str, shape: &'a [u64], found: &'a [(String, Dataset)]) -> Self {
        ArrayDescription { name, shape, found, turned: Vec::new(), warnings: Vec::new() }
    }

    pub(crate) fn axes(&mut self, attributes: &Attributes) -> Vec<FileAxis> {
        let mut axes = vec![FileAxis::default(); self.shape.len()];
        let scales = self.scales();
        if let Some(dimensions) = attributes.get("_Netcdf4Coordinates").and_then(numbers)
            && dimensions.len() == axes.len()
        {
            for (index, dimension) in dimensions.into_iter().enumerate() {
                let own = |scale: &&Scale<'_>| {
                    let id = scale.attributes.get("_Netcdf4Dimid").and_then(numbers);
                    id.as_deref() == Some(&[dimension])
                };
                if let Some(scale) = scales.iter().find(own) {
                    axes[index] = self.coordinates(index, scale);
                }
            }
            return axes;
        }
        let names = attributes.get("axes").and_then(text).unwrap_or_default();
        if names.chars().count() == axes.len() {
            for (axis, name) in axes.iter_mut().zip(names.chars()) {
                axis.label = Some(name.into());
            }
        }
        let spacing = self.each(attributes, &["spacing", "d"], names.is_empty());
        let origin = self.each(attributes, &["origin", "o"], names.is_empty());
        if names.is_empty() && spacing.is_none() && origin.is_none() {
            self.by_length(&mut axes, &scales);
            return axes;
        }
        for (index, axis) in axes.iter_mut().enumerate() {
            axis.spacing = spacing.as_ref().map(|of| of[index]);
            axis.origin = origin.as_ref().map(|of| of[index]);
        }
        axes
    }

    /// The arrays of coordinates: dimension scales of HDF5, of which netCDF's are a kind.
    fn scales(&self) -> Vec<Scale<'a>> {
        let mut scales = Vec::new();
        for (name, array) in self.found {
            let shape = array.shape().unwrap_or_default();
            if shape.len() != 1 || !self.shape.contains(&shape[0]) {
                continue;
            }
            let attributes = attributes(array);
            let is = |name: &str, value: &str| {
                let of = attributes.get(name).and_then(text);
                of.is_some_and(|of| of.starts_with(value))
            };
            if is("CLASS", "DIMENSION_SCALE") && !is("NAME", WITHOUT_COORDINATES) {
                scales.push(Scale { name, array, attributes });
            }
        }
        scales
    }

    /// Axes from the only scales of their lengths: which scale belongs to an axis is written in
    /// references, which cannot be read.
    fn by_length(&mut self, axes: &mut [FileAxis], scales: &[Scale<'_>]) {
        let group = self.name.rsplit_once('/').map_or("", |(group, _)| group);
        let near = |scale: &&Scale<'_>| {
            let own = scale.name.rsplit_once('/').map_or("", |(group, _)| group);
            own.is_empty() || group == own || group.starts_with(&format!("{own}/"))
        };
        for (index, length) in self.shape.iter().enumerate() {
            let of_length = |scale: &&Scale<'_>| scale.array.shape().is_ok_and(|n| n[0] == *length);
            let fitting: Vec<_> = scales.iter().filter(near).filter(of_length).collect();
            let alike = self.shape.iter().filter(|n| *n == length).count();
            match fitting.as_slice() {
                [] => {}
                [scale] if alike == 1 => axes[index] = self.coordinates(index, scale),
                _ if *length == 1 => {}
                several => {
                    let names: Vec<_> = several.iter().map(|scale| scale.name).collect();
                    let (axis, names) = (index + 1, names.join(" and "));
                    self.warnings.push(format!(
                        "axis {axis} of {} may be {names}: give the axes and the spacing",
                        self.name
                    ));
                }
            }
        }
    }

    /// An axis from its coordinates. It runs down, where they say how, and from the smallest on.
    fn coordinates(&mut self, index: usize, scale: &Scale<'_>) -> FileAxis {
        let Scale { name, array, attributes } = scale;
        let mut axis = FileAxis {
            label: name.rsplit('/').next().map(str::to_owned),
            unit: attributes.get("units").and_then(text),
            ..FileAxis::default()
        };
        if let Some(letter) = letter(&axis, attributes) {
            axis.label = Some(letter.into());
        }
        let Ok(mut at) = array.read_f64() else { return axis };
        Packing::of(attributes).unpack(&mut at);
        if self.points_up(&axis, attributes, &at) {
            axis.label = Some("z".into());
            at.iter_mut().for_each(|at| *at = 0.0 - *at);
        }
        if at.first() > at.last() {
            at.reverse();
            self.turned.push(index);
        }
        let [first, .., last] = at.as_slice() else { return axis };
        let spacing = (last - first) / (at.len() - 1) as f64;
        let even = |pair: &[f64]| (pair[1] - pair[0] - spacing).abs() <= UNEVEN * spacing.abs();
        match at.windows(2).all(even) {
            true => (axis.origin, axis.spacing) = (Some(*first), Some(rounded(spacing))),
            false => self.warnings.push(format!("the coordinates {name} are not evenly spaced")),
        }
        axis
    }

    /// True if coordinates are heights: by CF's `positive`, by their name, or if all are negative.
    fn points_up(&mut self, axis: &FileAxis, attributes: &Attributes, at: &[f64]) -> bool {
        let said = |name: &str| attributes.get(name).and_then(text).map(|of| of.to_lowercase());
        let label = axis.label.as_deref().unwrap_or_default().to_lowercase();
        match said("positive").as_deref() {
            Some("up") => return true,
            Some("down") => return false,
            _ => {}
        }
        let standard = said("standard_name").unwrap_or_default();
        if UP.iter().any(|name| label == *name || standard.contains(name)) {
            return true;
        }
        let negative = at.iter().all(|at| *at <= 0.0) && at.iter().any(|at| *at < 0.0);
        let is_height = negative && axis.letter() == Some('z');
        if is_height {
            let (first, last) = (at.first().unwrap_or(&0.0), at.last().unwrap_or(&0.0));
            self.warnings.push(format!(
                "{label} runs from {first} to {last}, and has no attribute positive: heights are taken; if they are depths, set \
                 positive = \"down\""
            ));
        }
        is_height
    }

    /// A number for each axis: an attribute, or an array beside this one. JUDI and Devito have `d`
    /// and `o` in the order of `n`, which Julia's arrays have the other way round.
    fn each(&mut self, attributes: &Attributes, names: &[&str], by_n: bool) -> Option<Vec<f64>> {
        let get = |name: &str| attributes.get(name).and_then(numbers).or_else(|| self.beside(name));
        let of = |name: &str| get(name).filter(|of| of.len() == self.shape.len());
        let mut values = names.iter().find_map(|name| of(name))?;
        let n: Option<Vec<u64>> = of("n").map(|n| n.iter().map(|n| *n as u64).collect());
        if let (true, Some(n)) = (by_n, n) {
            let turned = n.iter().rev().eq(self.shape);
            if turned && n == self.shape && values.windows(2).any(|pair| pair[0] != pair[1]) {
                let text = format!("{values:?} of {} may be in either order of its axes", names[1]);
                self.warnings.push(text + ", and is left out");
                return None;
            }
            if turned {
                values.reverse();
            }
        }
        Some(values)
    }

    /// The numbers of a small array in the same group.
    fn beside(&self, name: &str) -> Option<Vec<f64>> {
        let group =
            self.name.rsplit_once('/').map_or(String::new(), |(group, _)| format!("{group}/"));
        let (_, array) = self.found.iter().find(|(found, _)| *found == format!("{group}{name}"))?;
        let few = array.shape().is_ok_and(|shape| shape.iter().product::<u64>() <= 3);
        few.then(|| array.read_f64().ok()).flatten()
    }

    pub(crate) fn unit(&mut self, attributes: &Attributes) -> Option<String> {
        let own = attributes.get("units").or_else(|| attributes.get("unit")).and_then(text);
        let name = self.name.rsplit('/').next();
        if own.is_none() && name == Some("m") && self.beside("d").is_some() {
            self.warnings.push(format!(
                "{} stands beside d, as JUDI writes it: {JUDI} are taken",
                self.name
            ));
            return Some(JUDI.into());
        }
        own
    }
}

/// The letter of a coordinate by its CF attributes, whatever its name: `axis = "Z"` with `positive`;
/// or, of a name that says nothing, either of them.
pub(super) fn letter(axis: &FileAxis, attributes: &Attributes) -> Option<&'static str> {
    let said = |name: &str| attributes.get(name).and_then(text).map(|of| of.to_lowercase());
    let is_vertical = said("positive").is_some_and(|of| of == "up" || of == "down");
    let is_named = axis.letter().is_some();
    match said("axis").as_deref() {
        Some("z") if is_vertical => Some("z"),
        None if is_vertical && !is_named => Some("z"),
        Some("x") if !is_named => Some("x"),
        Some("y") if !is_named => Some("y"),
        _ => None,
    }
}

/// Sums of f32 coordinates leave a residue.
fn rounded(spacing: f64) -> f64 {
    format!("{spacing:.6e}").parse().unwrap_or(spacing)
}

pub(super) fn numbers(value: &AttrValue) -> Option<Vec<f64>> {
    Some(match value {
        AttrValue::F32(v) => vec![f64::from(*v)],
        AttrValue::F64(v) => vec![*v],
        AttrValue::I8(v) => vec![f64::from(*v)],
        AttrValue::I16(v) => vec![f64::from(*v)],
        AttrValue::I32(v) => vec![f64::from(*v)],
        AttrValue::I64(v) => vec![*v as f64],
        AttrValue::U8(v) => vec![f64::from(*v)],
        AttrValue::U16(v) => vec![f64::from(*v)],
        AttrValue::U32(v) => vec![f64::from(*v)],
        AttrValue::U64(v) => vec![*v as f64],
        AttrValue::F32Array(v) => v.iter().map(|v| f64::from(*v)).collect(),
        AttrValue::F64Array(v) => v.clone(),
        AttrValue::I16Array(v) => v.iter().map(|v| f64::from(*v)).collect(),
        AttrValue::I32Array(v) => v.iter().map(|v| f64::from(*v)).collect(),
        AttrValue::I64Array(v) => v.iter().map(|v| *v as f64).collect(),
        AttrValue::U32Array(v) => v.iter().map(|v| f64::from(*v)).collect(),
        AttrValue::U64Array(v) => v.iter().map(|v| *v as f64).collect(),
        _ => return None,
    })
}

pub(super) fn text(value: &AttrValue) -> Option<String> {
    value
        .as_str()
        .map(|text| text.trim_end_matches('\0').trim().to_owned())
        .filter(|t| !t.is_empty())
}
