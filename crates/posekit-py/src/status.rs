//! How solves end, as the members of `posekit.Status`.

use posekit::arm::ArmStatus;
use posekit::solve;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The members, in the order of their codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Reached,
    Unreachable,
    NotFound,
    InvalidTarget,
    OutsideLimits,
    Blocked,
    Stalled,
    IterationLimit,
    Cancelled,
}

/// The code of a status in arrays.
pub(crate) const fn code_of(status: Status) -> u8 {
    status as u8
}

impl Status {
    const ALL: [Self; 9] = [
        Self::Reached,
        Self::Unreachable,
        Self::NotFound,
        Self::InvalidTarget,
        Self::OutsideLimits,
        Self::Blocked,
        Self::Stalled,
        Self::IterationLimit,
        Self::Cancelled,
    ];

    pub(crate) const fn of_arm(status: ArmStatus) -> Self {
        match status {
            ArmStatus::Reached => Self::Reached,
            ArmStatus::Unreachable { .. } => Self::Unreachable,
            ArmStatus::InvalidTarget => Self::InvalidTarget,
            ArmStatus::OutsideLimits => Self::OutsideLimits,
            _ => Self::NotFound,
        }
    }

    pub(crate) const fn of_solve(status: &solve::Status) -> Self {
        match status {
            solve::Status::Reached => Self::Reached,
            solve::Status::Unreachable { .. } => Self::Unreachable,
            solve::Status::Blocked { .. } => Self::Blocked,
            solve::Status::IterationLimit => Self::IterationLimit,
            solve::Status::Cancelled => Self::Cancelled,
            _ => Self::Stalled,
        }
    }

    /// The member of the enumeration.
    pub(crate) fn member(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        static MEMBERS: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
        let members = MEMBERS.get_or_try_init(py, || {
            let class = py.import("posekit.results")?.getattr("Status")?;
            let member = |status| Ok(class.call1((code_of(status),))?.unbind());
            Self::ALL.into_iter().map(member).collect::<PyResult<Vec<_>>>()
        })?;
        Ok(members[usize::from(code_of(self))].bind(py).clone())
    }
}
