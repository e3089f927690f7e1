//! `huygens model convert`.

use super::{
    built::{builtin_name, each},
    input::{self, FileArguments},
    output::{FormatArguments, Target},
};
use crate::{
    cli::{
        failure::Failure,
        flags::place::PlaceArguments,
        terminal::progress::{self, tell},
    },
    grid::Axes,
    job::OneOrEach,
    model::{Density, ModelQuantity, VelocityModel},
};
use std::{ops::RangeInclusive, path::PathBuf, str::FromStr};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens model convert salt.npy salt.rsf --axes xz --file-spacing 24.384\n  \
                  huygens model convert salt.rsf smooth.rsf --smooth 100 --water 250 --spacing 10\n  \
                  huygens model convert theirs.sgy ours.rsf --sample-interval mm\n  \
                  huygens model convert density.rsf smooth.rsf --quantity density --unit g/cm3 --smooth 100\n\
                  In this order: --unit, --remove-water, --smooth, --crop, --spacing, --water."
)]
pub(crate) struct Arguments {
    /// The file to read, or builtin:NAME.
    from: PathBuf,
    /// The file to write: .npy, .npz, .h5, .rsf, .sgy, .su, .vti or .bin.
    to: PathBuf,
    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    place: PlaceArguments,
    /// Remove the top rows that are all water, 1400 to 1600 m/s. The model then begins at the shallowest sea floor.
    #[arg(long)]
    remove_water: bool,
    /// Smooth slowness (or 1/density) with a Gaussian of this standard deviation, metres.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    smooth: Option<f64>,
    /// Keep a part, metres from the first node: x=1000:5000,z=0:2000.
    #[arg(long, value_name = "PART", allow_hyphen_values = true)]
    crop: Option<Part>,
    /// Resample linearly to this spacing, metres: one number or z=10,x=20.
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    spacing: Option<OneOrEach<f64>>,
    /// Put water, 1500 m/s or 1000 kg/m3, at every node above this depth, metres.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    water: Option<f64>,
    #[command(flatten)]
    output: FormatArguments,
}

/// A part of a model.
#[derive(Clone, Debug)]
struct Part(Axes<Option<RangeInclusive<f64>>>);

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut part: Axes<Option<RangeInclusive<f64>>> = Axes::default();
        for given in text.split(',') {
            let wrong = || {
                format!("\"{given}\" is not one of x=FROM:TO, y=FROM:TO and z=FROM:TO, each once")
            };
            let (axis, range) = given.split_once('=').ok_or_else(wrong)?;
            let (from, to) = range.split_once(':').ok_or_else(wrong)?;
            let metres = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
            let place = match axis.trim() {
                "x" => &mut part.x,
                "y" => &mut part.y,
                "z" => &mut part.z,
                _ => return Err(wrong()),
            };
            if place.replace(metres(from)?..=metres(to)?).is_some() {
                return Err(wrong());
            }
        }
        Ok(Part(part))
    }
}

impl Arguments {
    /// True if the values of a file stay as they are.
    fn copies(&self) -> bool {
        let smoothed = self.smooth.is_some() || self.spacing.is_some();
        let cut = self.remove_water || self.crop.is_some() || self.water.is_some();
        builtin_name(&self.from).is_none() && !smoothed && !cut
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let quantity = arguments.file.quantity;
    let target = Target { out: &arguments.to, arguments: &arguments.output, quantity };
    target.check()?;
    if arguments.copies()
        && target.streams()
        && let Some(mut model) = arguments.file.streamed(&arguments.from)?
    {
        model.placement = arguments.place.place(model.placement);
        return target.write_streamed(model);
    }
    let model = input::model(&arguments.from, &arguments.file)?;
    let place = arguments.place.place(*model.placement());
    let mut model = model.placed(place);
    let is_density = quantity == ModelQuantity::Density;
    if arguments.remove_water {
        if is_density {
            let message = "--remove-water finds water by its velocity; leave out the same rows of a density with \
                           --crop z=FROM:TO";
            return Err(Failure::input(message));
        }
        // To a micrometre: 3 times 24.384 is a little less than 73.152.
        let depth = (1e6 * model.water_depth()).round() / 1e6;
        model = model.without_water().map_err(Failure::input)?;
        tell(format_args!("{depth} m of water are left out: z = 0 is where z = {depth} m was"));
    }
    if let Some(length) = arguments.smooth {
        let _smoothing = progress::doing("smoothing");
        model = model.smoothed(length).map_err(Failure::input)?;
    }
    if let Some(Part(part)) = &arguments.crop {
        if part.y.is_some() && !model.grid().is_volume() {
            return Err(Failure::input("the model is 2-D; leave the y of --crop out"));
        }
        model = model.cropped(part).map_err(Failure::input)?;
    }
    if let Some(h) = arguments.spacing {
        let h = each("--spacing", h, model.grid().is_volume())?;
        let _resampling = progress::doing("resampling");
        model = model.resampled(h).map_err(Failure::input)?;
    }
    if let Some(depth) = arguments.water {
        let water = if is_density { Density::WATER } else { VelocityModel::WATER };
        model = model.with_water(depth, water).map_err(Failure::input)?;
    }
    target.write(&model)
}
