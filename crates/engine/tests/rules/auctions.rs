use crate::prelude::*;

fn won(seat: u8, tricks: u8, trump: Trump) -> Event {
    Event::AuctionWon { seat: Seat::new(seat), tricks, trump }
}

#[test]
fn a_bid_beats_the_standing_one_by_number_then_by_suit() {
    given(Squares)
        .started()
        .refuses(bid(0, 3, NoTrump), Rejection::BidOutOfRange { min: 4, max: 13 })
        .refuses(bid(0, 14, Clubs), Rejection::BidOutOfRange { min: 4, max: 13 })
        .when(bid(0, 5, Hearts))
        .refuses(bid(1, 4, NoTrump), Rejection::BidTooLow { tricks: 5, trump: Hearts })
        .refuses(bid(1, 5, Hearts), Rejection::BidTooLow { tricks: 5, trump: Hearts })
        .when(bid(1, 5, Spades))
        .when_all([bid(2, 5, NoTrump), bid(3, 6, Clubs), pass(0), pass(1)])
        .then_turn_of(2)
        .when(bid(2, 7, Clubs))
        // A pass is final: seats 0 and 1 are not asked again.
        .then_turn_of(3)
        .when(pass(3))
        .then(won(2, 7, Clubs))
        .then_turn_of(3);
}

#[test]
fn the_lowest_bid_is_an_option() {
    given(Squares).with("minimum_bid", 1).started().when(bid(0, 1, Clubs)).then_turn_of(1);
    given(Squares)
        .with("minimum_bid", 7)
        .started()
        .refuses(bid(0, 6, NoTrump), Rejection::BidOutOfRange { min: 7, max: 13 });
}

#[test]
fn a_player_who_cannot_outbid_is_still_asked() {
    // squares S1: a player may still pass, or dash call where that is allowed.
    given(Squares)
        .started()
        .when_all([pass(0), bid(1, 4, Clubs), bid(2, 13, NoTrump)])
        .then_offered(&[pass(3), dash_call(3)])
        .when(pass(3))
        .then_offered(&[pass(1)]);
}

#[test]
fn the_last_in_the_auction_bids_or_passes_and_is_not_asked_to_outbid_himself() {
    given(Squares)
        .started()
        .when_all([pass(0), pass(1), pass(2)])
        .then_turn_of(3)
        .when(bid(3, 4, Clubs))
        .then(won(3, 4, Clubs))
        .then_turn_of(0);
}

#[test]
fn with_single_calls_the_highest_wins_and_of_identical_bids_the_earlier() {
    for id in [Squares, DoubleRisk] {
        given(id)
            .with("auction", "single_call")
            .started()
            .when_all([bid(0, 5, Hearts), bid(1, 4, Clubs), bid(2, 5, Hearts)])
            .when(bid(3, 5, Diamonds))
            .then(won(0, 5, Hearts))
            .then_turn_of(1);
    }
    given(Kabooot)
        .with("auction", "single_call")
        .started()
        .when_all([blind_dash(0), enter(1), enter(2), enter(3)])
        // Blind dashers are skipped (kabooot S5).
        .when_all([bid(1, 4, Clubs), pass(2), bid(3, 4, Clubs)])
        .then(won(1, 4, Clubs));
}

#[test]
fn in_plain_identical_bids_are_won_by_the_earlier_clockwise() {
    plain()
        .started()
        .when_all([bid(0, 4, Clubs), bid(3, 5, Spades), bid(2, 5, Spades)])
        .when(bid(1, 5, Hearts))
        .then(won(3, 5, Spades))
        // Estimates go clockwise from the declarer's left, the seat before.
        .then_turn_of(2);
}

#[test]
fn in_plain_the_auction_follows_its_worked_examples() {
    plain()
        .tricks(1, [3, 6, 2, 2], Diamonds)
        .started()
        .when_all([bid(0, 5, Spades), bid(3, 4, Hearts), bid(2, 4, Clubs), bid(1, 6, Diamonds)])
        .then(won(1, 6, Diamonds))
        .when_all([estimate(0, 3), estimate(3, 2), estimate(2, 2)])
        .played_out()
        .then_points(&[3, 6, 2, 2]);
    plain()
        .tricks(3, [4, 6, 2, 1], Spades)
        .started()
        .up_to_round(3)
        .when_all([bid(2, 5, Hearts), bid(1, 5, Spades), bid(0, 4, Clubs), bid(3, 4, Diamonds)])
        .then(won(1, 5, Spades))
        .when_all([estimate(0, 4), estimate(3, 2), estimate(2, 3)])
        .played_out()
        .then_points(&[4, -1, -1, -1]);
}

#[test]
fn in_plain_no_trump_may_be_barred_and_there_is_no_pass() {
    plain()
        .with("no_trump_bids", false)
        .started()
        .refuses(bid(0, 13, NoTrump), Rejection::NoTrumpBarred)
        .refuses(pass(0), Rejection::NoPassing)
        .when(bid(0, 13, Spades))
        .then_turn_of(3);
}

fn four_passes(options: Given) -> Scene {
    options.with("allow_pass", true).with("seating", "as_joined").started()
}

#[test]
fn after_four_passes_the_next_seat_deals_after_a_new_cut() {
    four_passes(given(Plain))
        .when(cut(0, 10))
        .when_all([pass(0), pass(3), pass(2), pass(1)])
        .then_happened(&["passed", "auction_void"])
        .then_phase("cutting")
        // The new dealer is seat 0; the player to the right cuts, speaks first and leads (plain S4).
        .then_turn_of(1)
        .when(cut(1, 20))
        .then_see(|scene| {
            let dealt = scene.dealt();
            assert_eq!((dealt.round, dealt.attempt, dealt.dealer), (1, 2, Seat::new(0)));
            assert_eq!(dealt.first_speaker, Seat::new(1));
        })
        .when_all([dash_call(1), pass(0), dash_call(3), pass(2)])
        .then_happened(&["passed", "auction_void"])
        .then_totals(&[0, 0, 0, 0])
        .then_turn_of(2);
}

#[test]
fn after_a_hand_without_bids_the_deal_continues_from_the_new_dealer() {
    four_passes(given(Plain).with("cut", false))
        .when_all([pass(0), pass(3), pass(2), pass(1)])
        .when_all([bid(1, 4, Spades), pass(0), pass(3), pass(2)])
        .when_all([estimate(0, 2), estimate(3, 3), estimate(2, 3)])
        .then_turn_of(1)
        .played_out()
        .then_see(|scene| assert_eq!((scene.dealt().round, scene.dealt().dealer), (2, Seat::new(1))));
}

#[test]
fn in_plain_a_player_who_passes_estimates_later() {
    four_passes(given(Plain).with("cut", false))
        .when_all([pass(0), bid(3, 4, Clubs), dash_call(2), pass(1)])
        .then(won(3, 4, Clubs))
        .when_all([estimate(1, 4), estimate(0, 4)])
        .then_phase("play");
}

#[test]
fn in_double_risk_the_same_dealer_redeals_a_round_without_bids() {
    given(DoubleRisk)
        .started()
        .up_to_round(2)
        .when_all([pass(1), dash_call(2), pass(3), pass(0)])
        .then_happened(&["passed", "auction_void", "round_dealt"])
        .then_see(|scene| {
            let dealt = scene.dealt();
            assert_eq!((dealt.round, dealt.attempt, dealt.first_speaker), (2, 2, Seat::new(1)));
        })
        // Dash calls are asked again.
        .when_all([dash_call(1), dash_call(2), bid(3, 4, Clubs), pass(0)])
        .then_phase("estimates");
}

#[test]
fn after_a_pass_nothing_more_is_heard_from_its_player() {
    given(Squares)
        .started()
        .when_all([pass(0), bid(1, 4, Clubs), bid(2, 5, Clubs), pass(3)])
        .then_turn_of(1)
        .refuses(bid(0, 6, Clubs), Rejection::NotYourTurn { to_act: Some(pass(1).chair) });
}
