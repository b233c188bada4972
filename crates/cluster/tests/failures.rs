//! What fails on one rank fails on all, and no rank is left waiting.

use std::panic::panic_any;
use std::time::Duration;

use pivotgrid::{Aabb, Bounded, Config};
use pivotgrid_cluster::{Cluster, ClusterConfig, ClusterError, Comm, CommError, ThreadComm};

/// A box whose user's code may panic.
#[derive(Clone, Copy)]
struct Fragile(Option<Aabb<f32, 2>>);

impl Bounded<f32, 2> for Fragile {
    fn aabb(&self) -> Aabb<f32, 2> {
        self.0.expect("the object is broken")
    }
}

fn row(rank: usize) -> (Vec<u64>, Vec<Fragile>) {
    let ids: Vec<u64> = (0..100).map(|index| rank as u64 * 100 + index).collect();
    let boxes = ids.iter().map(|&id| Fragile(Some(Aabb::new([id as f32, 0.0], [id as f32 + 1.0, 1.0])))).collect();
    (ids, boxes)
}

/// Runs a job, and fails if it has not ended after a minute.
fn run<R: Send + 'static>(ranks: usize, work: impl Fn(ThreadComm) -> R + Send + Sync + 'static) -> Vec<std::thread::Result<R>> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(ThreadComm::run(ranks, work)));
    receiver.recv_timeout(Duration::from_secs(60)).expect("no rank waits forever")
}

/// All ranks have the same outcome.
#[track_caller]
fn same<R: PartialEq + std::fmt::Debug>(outcomes: Vec<std::thread::Result<R>>) -> R {
    let mut outcomes: Vec<R> = outcomes.into_iter().map(|outcome| outcome.expect("no panic")).collect();
    assert!(outcomes.windows(2).all(|two| two[0] == two[1]), "{outcomes:?}");
    outcomes.swap_remove(0)
}

/// A panic in the user's code on one rank, in the first step (where it is sampled) or in the second. The job goes on afterwards.
#[test]
fn a_panic_is_an_error_on_all_ranks() {
    for broken_step in 0..3 {
        let outcome = same(run(5, move |comm| {
            let rank = comm.rank();
            let (ids, objects) = row(rank);
            let mut cluster = Cluster::<f32, 2, _>::new(comm, ClusterConfig::default()).unwrap();
            let mut errors = Vec::new();
            for step in 0..4 {
                let mut objects = objects.clone();
                if step == broken_step && rank == 3 {
                    objects[50] = Fragile(None);
                }
                match cluster.step(&ids, &objects) {
                    Ok(mut step) => {
                        let pairs = step.gather(0).unwrap();
                        assert_eq!(pairs.map_or(499, |pairs| pairs.len()), 499);
                    }
                    Err(error) => errors.push((step, error)),
                }
            }
            errors
        }));
        let message = "a panic: the object is broken".to_owned();
        assert_eq!(outcome, [(broken_step, ClusterError::Failed { rank: 3, message })]);
    }
}

/// Memory that the engine of one rank refuses.
#[test]
fn an_error_of_the_engine_is_an_error_on_all_ranks() {
    let outcome = same(run(4, |comm| {
        let rank = comm.rank() as u64;
        let config = ClusterConfig::default().engine(Config::default().max_bytes(2_000_000).all_pairs_up_to(0));
        let mut cluster = Cluster::<f32, 2, _>::new(comm, config).unwrap();
        // On one rank each meets each, on the others none.
        let ids: Vec<u64> = (0..2000).map(|index| rank * 2000 + index).collect();
        let at = |id: u64| if rank == 2 { [5.0, 5.0] } else { [(id % 100) as f32 * 30.0, (id / 100) as f32 * 30.0] };
        let crowd: Vec<_> = ids.iter().map(|&id| Aabb::around(at(id), [1.0; 2])).collect();
        let error = cluster.step(&ids, &crowd).map(|step| step.len()).unwrap_err();
        cluster.step(&ids[..10], &crowd[..10]).unwrap();
        error
    }));
    match outcome {
        ClusterError::Failed { message, .. } => assert!(message.contains("max_bytes is 2000000"), "{message}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn arguments_that_make_no_sense() {
    let outcome = same(run(3, |comm| {
        let rank = comm.rank();
        let (ids, objects) = row(rank);
        let mut cluster = Cluster::<f32, 2, _>::new(comm, ClusterConfig::default()).unwrap();
        let few = if rank == 1 { 99 } else { 100 };
        let step = cluster.step(&ids[..few], &objects).map(|step| step.len()).unwrap_err();
        cluster.step(&ids, &objects).unwrap();
        let migrate = cluster.migrate(&mut ids[..few].to_vec()).unwrap_err();
        let gather = cluster.step(&ids, &objects).unwrap().gather(if rank == 2 { 3 } else { 0 }).unwrap_err();
        let sizes = if rank == 1 { cluster.migrate(&mut vec![0u8; 100]) } else { cluster.migrate(&mut vec![0u32; 100]) };
        [step, migrate, gather, sizes.unwrap_err()]
    }));
    let failed = |rank: usize, message: &str| ClusterError::Failed { rank, message: message.to_owned() };
    let expected = [
        failed(1, "99 ids for 100 objects"),
        failed(1, "99 payloads for the 100 objects of the last step"),
        failed(2, "there is no rank 3"),
        failed(1, "its payloads are 1 bytes long, those of rank 0 4"),
    ];
    assert_eq!(outcome, expected);
}

#[test]
fn different_configurations() {
    let outcome = same(run(4, |comm| {
        let imbalance = if comm.rank() == 2 { 1.3 } else { 1.2 };
        Cluster::<f32, 2, _>::new(comm, ClusterConfig::default().imbalance(imbalance)).map(drop).unwrap_err()
    }));
    assert_eq!(outcome, ClusterError::Configuration { rank: 2 });
    let outcome = same(run(2, |comm| match comm.rank() {
        0 => Cluster::<f32, 2, _>::new(comm, ClusterConfig::default()).map(drop).unwrap_err(),
        _ => Cluster::<f32, 3, _>::new(comm, ClusterConfig::default()).map(drop).unwrap_err(),
    }));
    assert_eq!(outcome, ClusterError::Configuration { rank: 1 });
    let outcome = same(run(3, |comm| {
        let domain = Aabb::new([0.0, 0.0], [if comm.rank() == 1 { 2.0 } else { 1.0 }, 1.0]);
        Cluster::<f32, 2, _>::periodic(comm, domain, [true; 2], ClusterConfig::default()).map(drop).unwrap_err()
    }));
    assert_eq!(outcome, ClusterError::Configuration { rank: 1 });
}

#[test]
fn configurations_that_make_no_sense() {
    for config in [
        ClusterConfig::default().imbalance(1.0),
        ClusterConfig::default().imbalance(f64::NAN),
        ClusterConfig::default().engine(Config::default().cell_size(-1.0)),
    ] {
        let outcome = same(run(2, move |comm| Cluster::<f32, 2, _>::new(comm, config.clone()).map(drop).unwrap_err()));
        assert!(matches!(outcome, ClusterError::Failed { rank: 0, .. }), "{outcome:?}");
    }
    let outcome = same(run(2, |comm| {
        let domain = Aabb::new([0.0, 0.0], [1.0, -1.0]);
        Cluster::<f32, 2, _>::periodic(comm, domain, [true; 2], ClusterConfig::default()).map(drop).unwrap_err()
    }));
    assert!(matches!(outcome, ClusterError::Failed { rank: 0, .. }), "{outcome:?}");
}

/// Two ranks step while one migrates.
#[test]
fn different_calls() {
    let outcome = same(run(3, |comm| {
        let rank = comm.rank();
        let (mut ids, objects) = row(rank);
        let mut cluster = Cluster::<f32, 2, _>::new(comm, ClusterConfig::default()).unwrap();
        cluster.step(&ids, &objects).unwrap();
        if rank == 1 {
            cluster.migrate(&mut ids).unwrap_err()
        } else {
            cluster.step(&ids, &objects).map(|step| step.len()).unwrap_err()
        }
    }));
    assert_eq!(outcome, ClusterError::Call { rank: 1 });
}

/// A rank that panics between two steps, or ends early, is missed by all others at once.
#[test]
fn a_rank_that_leaves() {
    for panics in [false, true] {
        let outcomes = run(6, move |comm| {
            let rank = comm.rank();
            let (ids, objects) = row(rank);
            let mut cluster = Cluster::<f32, 2, _>::new(comm, ClusterConfig::default()).unwrap();
            let mut steps = 0;
            loop {
                if rank == 4 && steps == 2 {
                    if panics {
                        panic_any("on purpose");
                    }
                    return None;
                }
                if let Err(error) = cluster.step(&ids, &objects).map(|step| step.len()) {
                    // And it stays so.
                    assert!(matches!(cluster.migrate(&mut vec![0u8; 100]), Err(ClusterError::Comm(_))));
                    return Some((steps, error));
                }
                steps += 1;
            }
        });
        for (rank, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                Ok(None) => assert!(rank == 4 && !panics),
                Err(_) => assert!(rank == 4 && panics),
                // A rank may hear of it from one that left because of it.
                Ok(Some((2, ClusterError::Comm(CommError::Left { .. })))) => assert_ne!(rank, 4),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Payloads of odd sizes come whole, arrays stay parallel, and nothing is lost when all of it moves.
#[test]
fn payloads_arrive() {
    let mut all: Vec<(u64, [u8; 3])> = run(5, |comm| {
        let rank = comm.rank();
        let (mut ids, _) = row(rank);
        let mut colors: Vec<[u8; 3]> = ids.iter().map(|&id| [id as u8, (id >> 8) as u8, 7]).collect();
        let mut cluster = Cluster::<f32, 2, _>::new(comm, ClusterConfig::default()).unwrap();
        for step in 0..6u64 {
            let place = |id: &u64| (id * (step * 2 + 1) * 31 % 500) as f32;
            let boxes: Vec<_> = ids.iter().map(|id| Aabb::new([place(id), 0.0], [place(id) + 0.5, 1.0])).collect();
            let owners = cluster.step(&ids, &boxes).unwrap().owners().to_vec();
            let partition = cluster.partition().clone();
            assert!(boxes.iter().zip(&owners).all(|(bounds, &owner)| partition.owner(bounds.min) == owner as usize));
            cluster.migrate(&mut ids).unwrap();
            cluster.migrate(&mut colors).unwrap();
            let moved: Vec<_> = ids.iter().map(|id| [place(id), 0.0]).collect();
            assert!(moved.iter().all(|&corner| partition.owner(corner) == rank));
        }
        ids.into_iter().zip(colors).collect::<Vec<_>>()
    })
    .into_iter()
    .flat_map(|rank| rank.expect("no panic"))
    .collect();
    all.sort_unstable();
    assert!(all.iter().map(|item| item.0).eq(0..500));
    assert!(all.iter().all(|&(id, color)| color == [id as u8, (id >> 8) as u8, 7]));
}
