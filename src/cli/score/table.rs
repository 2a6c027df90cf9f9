//! The sheet as a table for the terminal: points and totals of each seat by round.

use estimation_service::calculator::SheetRound;

/// The table. A revoke has a line of its own above the points of the scored deal.
pub(super) fn table(rounds: &[SheetRound]) -> String {
    let seats = rounds.first().map_or(0, |round| round.totals.len());
    let mut totals = vec![0; seats];
    let mut text = format!("{:>5}", "round");
    for seat in 0..seats {
        text += &format!("  {:>15}", format!("seat {seat}"));
    }
    text += "  bidder  multiplier\n";
    for round in rounds {
        let score = &round.scored.score;
        for penalty in &round.scored.penalties {
            let mut points = vec![None; seats];
            points[penalty.seat.index()] = Some(penalty.points);
            text += &row(round.round, &points, &mut totals, "revoke", "-");
        }
        let points: Vec<Option<i32>> = score.points.values().map(|&points| Some(points)).collect();
        let bidder = score.bidder.map_or("-".to_owned(), |seat| seat.to_string());
        text += &row(round.round, &points, &mut totals, &bidder, &format!("x{}", score.multiplier));
    }
    text
}

/// A line of the table. Adds the points to the totals.
fn row(round: u8, points: &[Option<i32>], totals: &mut [i32], bidder: &str, multiplier: &str) -> String {
    let mut text = format!("{round:>5}");
    for (points, total) in points.iter().zip(totals) {
        *total += points.unwrap_or(0);
        let points = points.map_or(String::new(), |points| format!("{points:+}"));
        text += &format!("  {points:>7} {total:>7}");
    }
    text + &format!("  {bidder:>6}  {multiplier:>10}\n")
}
