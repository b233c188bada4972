//! Sends payloads to the ranks that own their objects.

use bytemuck::Pod;

use crate::agree::{Call, WORDS, agree};
use crate::comm::Comm;
use crate::error::ClusterError;

pub(crate) fn migrate<C: Comm, T: Pod>(comm: &mut C, owners: &[u32], payloads: &mut Vec<T>) -> Result<(), ClusterError> {
    let (rank, size, mut all) = (comm.rank(), comm.size(), Vec::new());
    let outcome = if owners.len() == payloads.len() {
        Ok(())
    } else {
        Err(format!("{} payloads for the {} objects of the last step", payloads.len(), owners.len()))
    };
    agree(comm, Call::Migrate, outcome, [size_of::<T>() as u64, 0, 0], &mut all)?;
    if let Some(other) = all.chunks_exact(WORDS).position(|words| words[1] != all[1]) {
        let message = format!("its payloads are {} bytes long, those of rank 0 {}", all[other * WORDS + 1], all[1]);
        return Err(ClusterError::Failed { rank: other, message });
    }

    let words = size_of::<T>().div_ceil(size_of::<u64>());
    let mut departing = vec![0u64; size];
    owners.iter().filter(|&&owner| owner as usize != rank).for_each(|&owner| departing[owner as usize] += 1);
    let mut arriving = vec![0u64; size];
    comm.all_to_all(&departing, &mut arriving)?;
    let in_words = |counts: &[u64]| counts.iter().map(|&count| count as usize * words).collect::<Vec<_>>();
    let (send_counts, receive_counts) = (in_words(&departing), in_words(&arriving));

    let mut gaps: Vec<usize> = (0..owners.len()).filter(|&index| owners[index] as usize != rank).collect();
    let mut begin = 0;
    let place = |count: &usize| {
        begin += count;
        begin - count
    };
    let mut places: Vec<usize> = send_counts.iter().map(place).collect();
    let mut send = vec![0; begin];
    for &index in &gaps {
        let place = &mut places[owners[index] as usize];
        let bytes = bytemuck::bytes_of(&payloads[index]);
        bytemuck::cast_slice_mut::<u64, u8>(&mut send[*place..*place + words])[..bytes.len()].copy_from_slice(bytes);
        *place += words;
    }
    let mut receive = vec![0; receive_counts.iter().sum()];
    comm.exchange(&send, &send_counts, &mut receive, &receive_counts)?;

    let arrived = (0..arriving.iter().sum::<u64>() as usize).map(|number| {
        let words = &receive[number * words..(number + 1) * words];
        bytemuck::pod_read_unaligned::<T>(&bytemuck::cast_slice(words)[..size_of::<T>()])
    });
    // The gaps with the least indices first; the last objects fill what is left.
    gaps.reverse();
    for payload in arrived {
        match gaps.pop() {
            Some(gap) => payloads[gap] = payload,
            None => payloads.push(payload),
        }
    }
    for gap in gaps {
        payloads.swap_remove(gap);
    }
    Ok(())
}
