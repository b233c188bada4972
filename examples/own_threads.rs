//! A step on threads of your own: a small pool of long-lived threads, as an engine's task pool or a C job system would be.
//!
//! `cargo run --release --example own_threads`

use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

use pivotgrid::{Aabb, BroadPhase, ForkJoin};

/// Work that the threads share, with its true lifetime forgotten.
type Work = &'static (dyn Fn(usize) + Sync);

#[derive(Default)]
struct State {
    /// The current pass and its number, and how many threads are still at it.
    work: Option<Work>,
    pass: u64,
    running: usize,
    is_over: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// Threads that wait for passes. The calling thread is worker 0.
struct TaskPool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl TaskPool {
    fn new(workers: usize) -> Self {
        let shared = Arc::new(Shared::default());
        let spawn = |worker: usize| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || serve(&shared, worker))
        };
        let threads = (1..workers).map(spawn).collect();
        TaskPool { shared, threads }
    }
}

/// What each thread does: wait for a pass, run it, say so.
fn serve(shared: &Shared, worker: usize) {
    let mut seen = 0;
    loop {
        let mut state = shared.state.lock().unwrap();
        while state.pass == seen && !state.is_over {
            state = shared.changed.wait(state).unwrap();
        }
        let Some(work) = state.work.filter(|_| !state.is_over) else { return };
        seen = state.pass;
        drop(state);
        work(worker); // does not unwind
        shared.state.lock().unwrap().running -= 1;
        shared.changed.notify_all();
    }
}

impl ForkJoin for TaskPool {
    fn workers(&self) -> usize {
        self.threads.len() + 1
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        // SAFETY: only the lifetime changes. The threads use the reference between the two locks below, in the pass of this number, and
        // this function returns when none of them is running any more.
        let forever: Work = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), Work>(work) };
        let mut state = self.shared.state.lock().unwrap();
        state.work = Some(forever);
        state.pass += 1;
        state.running = self.threads.len();
        drop(state);
        self.shared.changed.notify_all();
        work(0);
        let mut state = self.shared.state.lock().unwrap();
        while state.running > 0 {
            state = self.shared.changed.wait(state).unwrap();
        }
        state.work = None;
    }
}

impl Drop for TaskPool {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap().is_over = true;
        self.shared.changed.notify_all();
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

fn main() {
    let boxes: Vec<Aabb<f32, 3>> = (0..100_000u32)
        .map(|i| {
            let corner = [i.wrapping_mul(2_654_435_761), i.wrapping_mul(2_246_822_519), i.wrapping_mul(3_266_489_917)];
            let corner = corner.map(|bits| (bits >> 8) as f32 / (1 << 24) as f32 * 50.0);
            Aabb::new(corner, corner.map(|x| x + 1.0))
        })
        .collect();
    let pool = TaskPool::new(std::thread::available_parallelism().map_or(2, |count| count.get().max(2)));
    let mut broad_phase = BroadPhase::<f32, 3>::new();
    for step in 0..3 {
        let pairs = broad_phase.over(&boxes).on(&pool).pairs().len();
        let stats = broad_phase.stats();
        println!("step {step}: {pairs} pairs by {} workers in {:.1?}", stats.workers, stats.times.total());
    }
    let serial = broad_phase.over(&boxes).serial().pairs().len();
    println!("on the calling thread: {serial} pairs");
    assert_eq!(broad_phase.over(&boxes).on(&pool).pairs().len(), serial);
}
