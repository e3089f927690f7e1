//! Remedies that several messages about gathers end with.

pub(crate) const COORDINATE_SCALAR: &str = "give gather.coordinate_scalar";
pub const ELEVATION_SCALAR: &str = "give gather.elevation_scalar";
pub(crate) const INTERVAL: &str = "give gather.interval, seconds";
pub(crate) const KILL_DEAD: &str = "leave such traces out with gather.kill = [\"dead\"]";
pub(crate) const LENGTH_UNIT: &str = "say which it is with gather.unit (\"m\" or \"ft\")";
pub const ORIGIN: &str = "say where the model lies on the map (model.origin, model.azimuth), or the headers (gather.origin, \
                          gather.azimuth, gather.unit, gather.coordinate_scalar)";
pub const POSITIONS: &str =
    "say where the receivers are: gather.positions = \"job\", or a .csv of x, z and in 3-D y";
pub(crate) const RECORDS: &str = "choose others with gather.records";
pub(crate) const SEGY_FIELDS: &str = "say at which bytes line numbers and positions are: segy = { iline = ..., xline = ..., cdp_x = ..., \
                               cdp_y = ... }, or --segy on the command line";
pub const START: &str = "give gather.start, seconds after the shot";

/// Traces of these numbers in their file left out; listed if they are few.
pub fn kill(numbers: &[u64]) -> String {
    let them = if numbers.len() == 1 { "it" } else { "them" };
    match numbers.len() <= 16 {
        true => format!("leave {them} out with gather.kill = {numbers:?}"),
        false => "leave them out with gather.kill, a list of their numbers".into(),
    }
}
