//! Writing a model.

use super::{input::name, traces::TraceOutput};
use crate::cli::{failure::Failure, progress, tell};
use huygens::{
    grid::{Axes, Position},
    io::{
        file_axis::FileAxis,
        hdf5,
        model_file::{Format, archive},
        npy, raw,
        rsf::{self, Description},
        segy::{IntervalUnit, SegyError},
        vti, whole,
    },
    model::{AxisOrder, Placement, Side, VelocityModel},
};
use ndarray::{ArrayViewD, Axis};
use std::{
    ffi::OsStr,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

/// How a model is written.
#[derive(clap::Args)]
pub struct OutputArguments {
    /// Put the data of an .rsf into a file of their own, FILE@.
    #[arg(long)]
    data_beside: bool,
    #[command(flatten)]
    traces: TraceOutput,
    /// Overwrite the file.
    #[arg(long)]
    force: bool,
}

/// The destination of a model.
pub struct Target<'a> {
    pub out: &'a Path,
    pub arguments: &'a OutputArguments,
}

impl Target<'_> {
    /// Checks that it can be written, before anything is computed.
    pub fn check(&self) -> Result<Format, Failure> {
        let format = Format::of(self.out).map_err(Failure::input)?;
        if self.out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
            let message = "would be packed by gzip; leave .gz out, and pack it after";
            return Err(Failure::input(format!("{} {message}", self.out.display())));
        }
        if self.arguments.data_beside && format != Format::Rsf {
            return Err(Failure::input("--data-beside is for .rsf files; leave it out"));
        }
        self.arguments.traces.check(format)?;
        whole::may_write(self.out, self.arguments.force)?;
        if self.arguments.data_beside {
            let data = self.data();
            whole::may_write(&data, self.arguments.force)?;
            let named = data.file_name().and_then(OsStr::to_str);
            if named.is_none_or(|name| name.contains('"') && name.contains('\'')) {
                return Err(Failure::input(format!(
                    "{} cannot be named in a header, which is in UTF-8 and has one kind of quotation marks for it; name \
                     another file, or leave --data-beside out",
                    data.display()
                )));
            }
        }
        Ok(format)
    }

    /// The data file of an RSF, by Madagascar's convention.
    fn data(&self) -> PathBuf {
        let mut data = self.out.as_os_str().to_owned();
        data.push("@");
        data.into()
    }

    /// Writes a model: `[x][z]` or `[y][x][z]`, m/s.
    pub fn write(&self, model: &VelocityModel, quiet: bool) -> Result<(), Failure> {
        let format = self.check()?;
        let writing = progress::doing(format!("writing {}", self.out.display()));
        let (grid, velocity) = (model.grid(), model.velocity());
        let plane = velocity.index_axis(Axis(0), 0);
        let values: ArrayViewD<'_, f32> =
            if grid.is_volume() { velocity.into_dyn() } else { plane.into_dyn() };
        let order = AxisOrder::ours_of(grid.is_volume());
        let placement = model.placement();
        // Axes that do not lie along the map's have no origin of their own.
        let origin = if placement.is_straight() { placement.origin } else { Axes::default() };
        let stop = progress::stop_on_ctrl_c();
        let write = |path: &Path, bytes: &[u8]| {
            let stopped = || stop.load(Ordering::Relaxed);
            whole::write_unless(&stopped, path, bytes, self.arguments.force).map_err(Failure::from)
        };
        let fill = |path: &Path, fill: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
            let stopped = || stop.load(Ordering::Relaxed);
            whole::make_unless(&stopped, path, self.arguments.force, fill).map_err(Failure::from)
        };
        match format {
            Format::Npy => fill(self.out, &|file| npy::write(file, values.view()))?,
            Format::Raw => fill(self.out, &|file| raw::write(file, values.view()))?,
            Format::Hdf5 => {
                let axes = || [grid.h, origin].map(|of| order.in_order(of).to_vec());
                fill(self.out, &|file| {
                    hdf5::write(file, values.view(), &order.to_string(), axes(), placement)
                })?;
            }
            Format::Vti => fill(self.out, &|file| vti::write(file, velocity, grid.h, placement))?,
            Format::Npz => {
                let axes = (&order, grid.h);
                archive::write(self.out, values, axes, placement, self.arguments.force)?;
            }
            Format::Segy | Format::Su => {
                let (stopped, mut refused) = (|| stop.load(Ordering::Relaxed), None);
                let fill = |file: &mut dyn Write| {
                    let filled = self.arguments.traces.write(file, model, format);
                    filled.map_err(|error| match error {
                        SegyError::Write(error) => error,
                        other => io::Error::other(refused.insert(other).to_string()),
                    })
                };
                let made = whole::make_unless(&stopped, self.out, self.arguments.force, fill);
                match refused {
                    Some(error) => return Err(Failure::input(error)),
                    None => made?,
                }
            }
            Format::Rsf => {
                let letters = order.to_string();
                let axis = |(letter, (spacing, origin)): (char, (f64, f64))| FileAxis {
                    label: Some(if letter == 'z' {
                        "Depth".into()
                    } else {
                        letter.to_uppercase().to_string()
                    }),
                    unit: Some("m".into()),
                    origin: Some(origin),
                    spacing: Some(spacing),
                };
                let axes: Vec<_> =
                    letters.chars().zip(order.in_order(grid.h.zip(origin))).map(axis).collect();
                let description = Description {
                    axes: &axes,
                    label: "Velocity",
                    unit: "m/s",
                    placement: *placement,
                };
                if self.arguments.data_beside {
                    let data = self.data();
                    fill(&data, &|file| raw::write(file, values.view()))?;
                    write(self.out, rsf::header(&values, description, &name(&data)).as_bytes())?;
                } else {
                    fill(self.out, &|file| rsf::write(file, values.view(), description))?;
                }
            }
        }
        drop(writing);
        if !quiet {
            tell(format_args!("{} is written{}", self.out.display(), kept(model, format, &order)));
        }
        Ok(())
    }
}

/// The properties that a format does not store, as flags for reading it again.
fn kept(model: &VelocityModel, format: Format, order: &AxisOrder) -> String {
    let (n, h) = (model.grid().n, model.grid().h);
    let y = |text: String| if order.is_volume() { text } else { String::new() };
    let spacing =
        format!("spacing = {{ z = {}, x = {}{} }}", h.z, h.x, y(format!(", y = {}", h.y)));
    let nodes = format!("nodes = {{ z = {}, x = {}{} }}", n.z, n.x, y(format!(", y = {}", n.y)));
    let placed = match model.placement() {
        placement if placement.is_plain() => String::new(),
        Placement { origin: Position { x, y, z }, azimuth, y_axis } => format!(
            ", origin = {{ x = {x}, y = {y}, elevation = {} }}, azimuth = {azimuth}{}",
            0.0 - z,
            if *y_axis == Side::Left { "" } else { ", y_axis = \"right\"" }
        ),
    };
    match format {
        Format::Npy => format!("; a job that reads it says axes = \"{order}\", {spacing}{placed}"),
        Format::Raw => {
            format!("; a job that reads it says axes = \"{order}\", {spacing}, {nodes}{placed}")
        }
        Format::Segy => format!(
            "; its sample interval counts {} of depth, as its text says",
            IntervalUnit::of(h.z).0.name()
        ),
        Format::Vti if model.placement().is_plain() => {
            "; its z points up, and is minus the depth".into()
        }
        Format::Vti => "; its z points up, and is the elevation".into(),
        Format::Hdf5 | Format::Npz | Format::Rsf | Format::Su => String::new(),
    }
}
