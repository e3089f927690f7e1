//! Writing a model.

use super::{input::name, traces::TraceOutput};
use crate::cli::{failure::Failure, progress, tell};
use huygens::{
    grid::{Grid, Position},
    io::{
        column_stream::{ColumnStream, Held},
        file_axis::FileAxis,
        hdf5,
        model_file::{Format, StreamedModel, archive},
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

    /// True if the format is written column by column.
    pub fn streams(&self) -> bool {
        let format = Format::of(self.out);
        format.is_ok_and(|format| !matches!(format, Format::Hdf5 | Format::Npz | Format::Vti))
    }

    /// Writes a model: `[x][z]` or `[y][x][z]`, m/s.
    pub fn write(&self, model: &VelocityModel, quiet: bool) -> Result<(), Failure> {
        let format = self.check()?;
        let (grid, velocity, placement) = (model.grid(), model.velocity(), model.placement());
        let plane = velocity.index_axis(Axis(0), 0);
        let values: ArrayViewD<'_, f32> =
            if grid.is_volume() { velocity.into_dyn() } else { plane.into_dyn() };
        let order = AxisOrder::ours_of(grid.is_volume());
        let writing = progress::doing(format!("writing {}", self.out.display()));
        match format {
            Format::Hdf5 => {
                let axes = || [grid.h, origin(placement)].map(|of| order.in_order(of).to_vec());
                self.fill(self.out, |file| {
                    hdf5::write(file, values.view(), &order.to_string(), axes(), placement)
                })?;
            }
            Format::Vti => {
                self.fill(self.out, |file| vti::write(file, velocity, grid.h, placement))?;
            }
            Format::Npz => {
                let axes = (&order, grid.h);
                archive::write(self.out, values, axes, placement, self.arguments.force)?;
            }
            _ => {
                let all = velocity.to_slice().expect("a model is in memory order");
                self.write_columns((grid, placement, &mut Held::new(all)), format)?;
            }
        }
        drop(writing);
        self.tell_written((grid, placement), format, quiet);
        Ok(())
    }

    /// Writes a model that stays in its file.
    pub fn write_streamed(&self, mut model: StreamedModel, quiet: bool) -> Result<(), Failure> {
        let format = self.check()?;
        let writing = progress::doing(format!("writing {}", self.out.display()));
        let (grid, placement) = (model.grid, model.placement);
        self.write_columns((&grid, &placement, &mut model), format)?;
        drop(writing);
        self.tell_written((&grid, &placement), format, quiet);
        Ok(())
    }

    fn write_columns(
        &self,
        (grid, placement, columns): (&Grid, &Placement, &mut dyn ColumnStream),
        format: Format,
    ) -> Result<(), Failure> {
        let order = AxisOrder::ours_of(grid.is_volume());
        let shape = order.in_order(grid.n);
        match format {
            Format::Npy => self.fill(self.out, |file| npy::write_columns(file, &shape, columns)),
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
                let along = order.in_order(grid.h.zip(origin(placement)));
                let axes: Vec<_> = letters.chars().zip(along).map(axis).collect();
                let description = Description {
                    axes: &axes,
                    label: "Velocity",
                    unit: "m/s",
                    placement: *placement,
                };
                if !self.arguments.data_beside {
                    return self.fill(self.out, |file| {
                        rsf::write_columns(file, (&shape, columns), description)
                    });
                }
                let data = self.data();
                self.fill(&data, |file| raw::write_columns(file, columns))?;
                let header = rsf::header(&shape, description, &name(&data));
                self.fill(self.out, |file| file.write_all(header.as_bytes()))
            }
            Format::Segy | Format::Su => {
                let mut refused = None;
                let made = self.fill(self.out, |file| {
                    let model = (grid, placement, columns);
                    let filled = self.arguments.traces.write(file, model, format);
                    filled.map_err(|error| match error {
                        SegyError::Write(error) | SegyError::Read(error) => error,
                        other => io::Error::other(refused.insert(other).to_string()),
                    })
                });
                refused.map_or(made, |error| Err(Failure::input(error)))
            }
            _ => self.fill(self.out, |file| raw::write_columns(file, columns)),
        }
    }

    /// Makes a file, unless Ctrl-C stops it.
    fn fill(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let stop = progress::stop_on_ctrl_c();
        let stopped = || stop.load(Ordering::Relaxed);
        Ok(whole::make_unless(&stopped, path, self.arguments.force, fill)?)
    }

    fn tell_written(&self, (grid, placement): (&Grid, &Placement), format: Format, quiet: bool) {
        if !quiet {
            tell(format_args!(
                "{} is written{}",
                self.out.display(),
                kept(grid, placement, format)
            ));
        }
    }
}

/// The origins of a model's axes: those that do not lie along the map's have none of their own.
fn origin(placement: &Placement) -> Position {
    if placement.is_straight() { placement.origin } else { Position::default() }
}

/// The properties that a format does not store, as flags for reading it again.
fn kept(grid: &Grid, placement: &Placement, format: Format) -> String {
    let (n, h, order) = (grid.n, grid.h, AxisOrder::ours_of(grid.is_volume()));
    let y = |text: String| if order.is_volume() { text } else { String::new() };
    let spacing =
        format!("spacing = {{ z = {}, x = {}{} }}", h.z, h.x, y(format!(", y = {}", h.y)));
    let nodes = format!("nodes = {{ z = {}, x = {}{} }}", n.z, n.x, y(format!(", y = {}", n.y)));
    let placed = match placement {
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
        Format::Vti if placement.is_plain() => "; its z points up, and is minus the depth".into(),
        Format::Vti => "; its z points up, and is the elevation".into(),
        Format::Hdf5 | Format::Npz | Format::Rsf | Format::Su => String::new(),
    }
}
