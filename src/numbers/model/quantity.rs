//! The quantity of a model's values.

/// The quantity of a model's values in a file or a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelQuantity {
    /// Velocity, m/s.
    #[default]
    Velocity,
    /// Density, kg/m3.
    Density,
    /// Thomsen's epsilon, a plain number.
    Epsilon,
    /// Thomsen's delta, a plain number.
    Delta,
}

impl ModelQuantity {
    /// Its name in words and in files.
    pub fn name(self) -> &'static str {
        match self {
            ModelQuantity::Velocity => "velocity",
            ModelQuantity::Density => "density",
            ModelQuantity::Epsilon => "epsilon",
            ModelQuantity::Delta => "delta",
        }
    }

    /// Its name at the beginning of a label.
    pub fn label(self) -> &'static str {
        match self {
            ModelQuantity::Velocity => "Velocity",
            ModelQuantity::Density => "Density",
            ModelQuantity::Epsilon => "Epsilon",
            ModelQuantity::Delta => "Delta",
        }
    }

    /// The unit in which the program has it.
    pub fn unit(self) -> &'static str {
        match self {
            ModelQuantity::Velocity => "m/s",
            ModelQuantity::Density => "kg/m3",
            ModelQuantity::Epsilon | ModelQuantity::Delta => "",
        }
    }
}
