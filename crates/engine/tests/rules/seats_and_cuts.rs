use estimation_engine::card::Suit;
use estimation_engine::round::DealNumber;
use estimation_test_support::account;
use estimation_test_support::stacked::cards;

use crate::prelude::*;

fn drawn(draw: &str) -> Scene {
    given(Plain).pack(DealNumber::DRAW, cards(draw)).started()
}

fn turn_of(scene: &Scene, place: u8) {
    assert_eq!(scene.game.to_act(), Some(Position::Place(Place::new(place))));
}

#[test]
fn the_highest_card_chooses_first_and_equal_ranks_go_by_suit() {
    drawn("10H 10S 10C JD")
        .then_phase("choosing_seats")
        .then_see(|scene| turn_of(scene, 3))
        .when(choose_seat(3, 0))
        .then_see(|scene| turn_of(scene, 1))
        .when(choose_seat(1, 1))
        .then_see(|scene| turn_of(scene, 0))
        .when(choose_seat(0, 3))
        // The last player gets the remaining seat.
        .then_happened(&["seat_chosen", "seat_chosen"])
        .then(Event::SeatChosen { place: Place::new(2), seat: Seat::new(2) });
    drawn("AC AD AH AS")
        .when_all([choose_seat(3, 3), choose_seat(2, 2), choose_seat(1, 1)])
        .then(Event::SeatChosen { place: Place::new(0), seat: Seat::new(0) });
}

#[test]
fn the_seat_the_highest_chose_deals_the_first_hand() {
    drawn("2C KD 3C 4C")
        .when_all([choose_seat(1, 2), choose_seat(3, 1), choose_seat(2, 0)])
        .then_phase("cutting")
        // Seat 2 deals; the player to the right cuts, is dealt the first card and speaks first.
        .then_turn_of(3)
        .then_see(|scene| {
            let chairs = [3, 2, 0, 1].map(|seat| Some(Position::Seat(Seat::new(seat))));
            assert_eq!([0, 1, 2, 3].map(|player| scene.game.position_of(&account(player))), chairs);
        })
        .when(cut(3, 26))
        .then_turn_of(3)
        .then_see(|scene| {
            assert_eq!(scene.dealt().dealer, Seat::new(2));
            assert_eq!(scene.dealt().first_speaker, Seat::new(3));
        });
}

#[test]
fn a_seat_is_chosen_in_turn_among_those_that_are_free() {
    let turn_of_one = Rejection::NotYourTurn { to_act: Some(Position::Place(Place::new(1))) };
    drawn("2C KD 3C 4C")
        .refuses(choose_seat(0, 0), turn_of_one.clone())
        .refuses(pass(1), turn_of_one)
        .refuses(
            Act { chair: Position::Place(Place::new(1)), command: Command::Cut { position: 3 } },
            Rejection::WrongPhase { phase: PhaseKind::ChoosingSeats },
        )
        .refuses(choose_seat(1, 4), Rejection::NoSuchSeat { seat: 4, players: 4 })
        .when(choose_seat(1, 2))
        .refuses(choose_seat(3, 2), Rejection::SeatTaken { seat: 2 })
        .when(choose_seat(3, 3))
        .then_see(|scene| turn_of(scene, 2));
}

#[test]
fn the_drawn_cards_are_shown_and_go_back() {
    let scene = drawn("2C KD 3C 4C").then_see(|scene| {
        let round = view(&scene.game, None).round.expect("seats are chosen");
        let shown: Vec<Card> = round.drawn.expect("cards were drawn").values().copied().collect();
        assert_eq!((shown, round.number), (cards("2C KD 3C 4C"), 0));
    });
    let scene = scene.when_all([choose_seat(1, 2), choose_seat(3, 1), choose_seat(2, 0), cut(3, 1)]);
    let all = scene.dealt().hands.values().fold(CardSet::EMPTY, |all, &hand| all | hand);
    assert_eq!(all.len(), 52);
}

#[test]
fn as_joined_nothing_is_drawn_and_seat_three_deals_first() {
    given(Plain).with("seating", "as_joined").started().then_phase("cutting").then_turn_of(0);
}

#[test]
fn the_cut_is_made_by_the_dealers_right_from_one_to_fifty_one() {
    let cutting = || given(Plain).with("seating", "as_joined").started();
    let mut scene = cutting();
    for position in [0, 52, 255] {
        scene = scene.refuses(cut(0, position), Rejection::CutOutOfRange);
    }
    scene
        .refuses(cut(3, 20), Rejection::NotYourTurn { to_act: Some(cut(0, 20).chair) })
        .refuses(bid(0, 4, Trump::Clubs), Rejection::WrongPhase { phase: PhaseKind::Cutting })
        .when(cut(0, 51))
        .then_happened(&["deck_cut", "round_dealt"]);
    cutting().when(cut(0, 1)).then_phase("auction");
    cutting().then_offered(&(1..=51).map(|position| cut(0, position)).collect::<Vec<_>>());
}

#[test]
fn the_cut_puts_the_first_cards_under_the_rest() {
    let canonical: Vec<Card> = Suit::ALL.into_iter().flat_map(CardSet::of_suit).collect();
    for position in [1, 2, 17, 50, 51] {
        given(Plain)
            .with("seating", "as_joined")
            .pack(deal(1, 1), canonical.clone())
            .started()
            .when(cut(0, position))
            .then_see(|scene| {
                let top = |n: usize| canonical[(n + usize::from(position)) % 52];
                for (seat, hand) in scene.dealt().hands.iter() {
                    let expected: CardSet = (0..13).map(|round| top(4 * round + seat.index())).collect();
                    assert_eq!(*hand, expected, "cut at {position}, seat {seat}");
                }
            });
    }
}

#[test]
fn every_hand_is_cut_again() {
    given(Plain)
        .with("seating", "as_joined")
        .started()
        .when(cut(0, 26))
        .up_to(|scene| scene.game.sheet.rounds.len() == 1)
        .then_phase("cutting")
        .then_turn_of(1);
}

#[test]
fn without_the_option_nothing_is_cut() {
    plain()
        .started()
        .then_phase("auction")
        .refuses(cut(0, 26), Rejection::WrongPhase { phase: PhaseKind::Auction });
    given(Squares).started().refuses(cut(0, 26), Rejection::WrongPhase { phase: PhaseKind::Auction });
}
