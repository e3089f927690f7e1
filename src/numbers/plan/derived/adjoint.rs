//! The adjoint: a wave backward in time.

use crate::plan::{Plan, PointShot, PointSource};

impl Plan {
    /// The Plan without its CPML: adjoints step the transpose of the layers separately.
    pub fn without_cpml(&self) -> Plan {
        let mut plan = self.clone();
        for profile in [&mut plan.profile.z, &mut plan.profile.x, &mut plan.profile.y] {
            if profile.memory != [0, 0] {
                profile.clear();
            }
        }
        plan
    }

    /// The adjoint of a simulation. Call it on a Plan with sources at the other's receivers, whose
    /// wavelets are the traces, the last sample first. At nodes of the model its field is then the
    /// exact transpose, layers included.
    ///
    /// With `p_next = G (2 p + V L p) - G^2 p_prev + V s`, V = (v dt)^2 and G the sponge's factor,
    /// the transposed recursion is that of `G V lambda` with the transpose of L and with G before
    /// the injection. L is its own transpose except for the corrections of a CPML.
    #[must_use]
    pub fn adjoint(self) -> Plan {
        let damping = |source: &PointSource| {
            let (at, profile) = (source.at, &self.profile);
            let along_y = if self.grid.is_volume() { profile.y.nodes[at.y].damping } else { 1.0 };
            profile.z.nodes[at.z].damping * profile.x.nodes[at.x].damping * along_y
        };
        let damped =
            |source: &PointSource| PointSource { scale: source.scale * damping(source), ..*source };
        let shot = |shot: &PointShot| PointShot {
            sources: shot.sources.iter().map(damped).collect(),
            ..shot.clone()
        };
        let shots = self.shots.iter().map(shot).collect();
        Plan { adjoint: true, shots, ..self }
    }
}
