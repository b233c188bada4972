//! The exchange of boxes: one all-to-all of counts, one of boxes.

use crate::agree::{Call, agree};
use crate::comm::Comm;
use crate::coordinate::Coordinate;
use crate::error::ClusterError;
use crate::held::{Held, Parcel};
use crate::route::Routed;
use crate::wire::{self, Format};

/// Words per rank of the first all-to-all: how many boxes, and their format.
const COUNTS: usize = 2;
/// In the place of a format: this rank has failed.
const FAILED: u64 = u64::MAX;

/// The buffers of the exchange, kept for the next step.
#[derive(Debug, Default)]
pub(crate) struct Post {
    heads: Vec<u64>,
    heads_received: Vec<u64>,
    /// The parcels' numbers by rank, and where those of each rank end.
    order: Vec<u32>,
    ends: Vec<usize>,
    send: Vec<u64>,
    send_counts: Vec<usize>,
    receive: Vec<u64>,
    receive_counts: Vec<usize>,
    all: Vec<u64>,
}

impl Post {
    /// The numbers of boxes sent and received.
    pub(crate) fn boxes(&self) -> [usize; 2] {
        [&self.heads, &self.heads_received].map(|heads| heads.chunks_exact(COUNTS).map(|head| head[0] as usize).sum())
    }

    /// The numbers of bytes sent and received.
    pub(crate) fn bytes(&self) -> [usize; 2] {
        [&self.send_counts, &self.receive_counts].map(|counts| counts.iter().sum::<usize>() * size_of::<u64>())
    }

    /// Puts the parcels into the order of their ranks and writes them.
    pub(crate) fn pack<S: Coordinate, const D: usize>(
        &mut self,
        ids: &[u64],
        routed: &Routed<S, D>,
        ranks: usize,
        is_periodic: bool,
    ) {
        let (heads, ends) = (&mut self.heads, &mut self.ends);
        heads.clear();
        heads.resize(ranks * COUNTS, 0);
        let mut parcels: Vec<&Parcel<S, D>> = Vec::new();
        for parcel in routed.parcels() {
            let head = &mut heads[parcel.to as usize * COUNTS..][..COUNTS];
            let mut format = Format(head[1]);
            format.add(parcel, is_periodic);
            (head[0], head[1]) = (head[0] + 1, format.0);
            parcels.push(parcel);
        }
        let mut end = 0;
        ends.clear();
        ends.extend(heads.chunks_exact(COUNTS).map(|head| {
            end += head[0] as usize;
            end - head[0] as usize
        }));
        self.order.clear();
        self.order.resize(end, 0);
        for (number, parcel) in parcels.iter().enumerate() {
            let end = &mut ends[parcel.to as usize];
            self.order[*end] = number as u32;
            *end += 1;
        }

        count_words::<S, D>(heads, &mut self.send_counts);
        self.send.clear();
        self.send.resize(self.send_counts.iter().sum(), 0);
        let (mut rest, mut order) = (&mut self.send[..], &self.order[..]);
        for (head, &words) in heads.chunks_exact(COUNTS).zip(&self.send_counts) {
            let (message, numbers);
            (message, rest) = rest.split_at_mut(words);
            (numbers, order) = order.split_at(head[0] as usize);
            wire::write(message, Format(head[1]), ids, numbers.len(), numbers.iter().map(|&number| parcels[number as usize]));
        }
    }

    /// Sends the parcels and receives those of the other ranks; or an error on all ranks if one has failed so far.
    pub(crate) fn exchange<C: Comm, S: Coordinate, const D: usize>(
        &mut self,
        comm: &mut C,
        outcome: Result<(), String>,
    ) -> Result<(), ClusterError> {
        if outcome.is_err() {
            self.heads.clear();
            self.heads.resize(comm.size() * COUNTS, FAILED);
        }
        self.heads_received.clear();
        self.heads_received.resize(comm.size() * COUNTS, 0);
        comm.all_to_all(&self.heads, &mut self.heads_received)?;
        if self.heads_received.chunks_exact(COUNTS).any(|head| head[1] == FAILED) {
            return agree(comm, Call::Step, outcome, [0; 3], &mut self.all);
        }
        count_words::<S, D>(&self.heads_received, &mut self.receive_counts);
        self.receive.clear();
        self.receive.resize(self.receive_counts.iter().sum(), 0);
        Ok(comm.exchange(&self.send, &self.send_counts, &mut self.receive, &self.receive_counts)?)
    }

    /// Appends the ghosts to the boxes that the rank holds.
    pub(crate) fn unpack<S: Coordinate, const D: usize>(&self, held: &mut Held<S, D>, is_periodic: bool) {
        let messages = || self.heads_received.chunks_exact(COUNTS).map(|head| (head[0] as usize, Format(head[1])));
        let has_bodies = !held.bodies.is_empty() || messages().any(|(_, format)| format.has_bodies());
        if has_bodies {
            held.with_bodies();
        }
        let mut rest = &self.receive[..];
        for ((count, format), &words) in messages().zip(&self.receive_counts) {
            let message;
            (message, rest) = rest.split_at(words);
            wire::read(message, format, count, held, is_periodic, has_bodies);
        }
    }
}

fn count_words<S: Coordinate, const D: usize>(heads: &[u64], counts: &mut Vec<usize>) {
    counts.clear();
    counts.extend(heads.chunks_exact(COUNTS).map(|head| Format(head[1]).words::<S, D>(head[0] as usize)));
}
