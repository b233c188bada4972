//! The MPI transport of [`pivotgrid_cluster`]: each rank is a process that `mpirun` has started.
//!
//! A package and a workspace of its own, because the crate `mpi` needs an MPI installation to build (`mpicc`, and libclang for the
//! bindings). As a feature of `pivotgrid-cluster` it would break every `--all-features` build on a machine without one. `ci/mpi` installs
//! what is needed and runs the tests of all transports on 1, 2, 4 and 8 ranks.
//!
//! ```no_run
//! use pivotgrid_cluster::{Cluster, ClusterConfig};
//! use pivotgrid_cluster_mpi::MpiComm;
//!
//! let universe = mpi::initialize().expect("MPI starts once");
//! let mut cluster = Cluster::<f32, 3, _>::new(MpiComm::world(&universe), ClusterConfig::default()).unwrap();
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

use mpi::collective::CommunicatorCollectives;
use mpi::datatype::{Partition, PartitionMut};
use mpi::environment::Universe;
use mpi::topology::{Communicator, SimpleCommunicator};
use pivotgrid_cluster::{Comm, CommError};

/// One rank of a job of MPI processes, on a communicator of its own.
///
/// MPI does not report to a rank that another one has left. So a rank that panics outside of a step, whose `MpiComm` is dropped by the
/// unwinding, aborts the job, and no rank is left waiting. If a rank simply ends early, while others go on, that is an error of the
/// program, which MPI does not report.
pub struct MpiComm {
    world: SimpleCommunicator,
    /// Counts and displacements of both buffers, in MPI's form.
    numbers: [Vec<i32>; 4],
}

impl std::fmt::Debug for MpiComm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MpiComm({} of {})", self.world.rank(), self.world.size())
    }
}

impl MpiComm {
    /// All processes of the job. Collective.
    pub fn world(universe: &Universe) -> Self {
        MpiComm { world: universe.world().duplicate(), numbers: Default::default() }
    }

    /// Counts in MPI's type: less than 2^31 words, 16 GiB, in one exchange of a rank. More would take several exchanges, on whose number
    /// all ranks would have to agree; the job is aborted instead.
    fn count(&mut self, which: usize, counts: &[usize]) {
        let (mut begin, [numbers, places]) = (0usize, self.numbers[which..].first_chunk_mut().expect("four lists"));
        numbers.clear();
        places.clear();
        for &count in counts {
            numbers.push(count as i32);
            places.push(begin as i32);
            begin += count;
        }
        if begin > i32::MAX as usize {
            eprintln!("rank {}: {begin} words in one exchange are more than MPI can count", self.world.rank());
            self.world.abort(1);
        }
    }
}

impl Comm for MpiComm {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn exchange(
        &mut self,
        send: &[u64],
        send_counts: &[usize],
        receive: &mut [u64],
        receive_counts: &[usize],
    ) -> Result<(), CommError> {
        self.count(0, send_counts);
        self.count(2, receive_counts);
        let [counts, places, receive_counts, receive_places] = &self.numbers;
        let send = Partition::new(send, &counts[..], &places[..]);
        let mut receive = PartitionMut::new(receive, &receive_counts[..], &receive_places[..]);
        self.world.all_to_all_varcount_into(&send, &mut receive);
        Ok(())
    }

    fn all_to_all(&mut self, send: &[u64], receive: &mut [u64]) -> Result<(), CommError> {
        self.world.all_to_all_into(send, receive);
        Ok(())
    }

    fn all_gather(&mut self, mine: &[u64], all: &mut [u64]) -> Result<(), CommError> {
        self.world.all_gather_into(mine, all);
        Ok(())
    }
}

impl Drop for MpiComm {
    fn drop(&mut self) {
        if std::thread::panicking() && self.size() > 1 {
            self.world.abort(101);
        }
    }
}
