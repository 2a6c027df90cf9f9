//! The table of the rules: each line is a field of [`Ruleset`] with its type, its value in every preset and, if it
//! has one, its option.
//!
//! The presets, the options, the published schema, the tables of the documentation and those of the second
//! verifier are all generated from these lines.

use serde::{Deserialize, Deserializer, Serialize};

use super::RulesetId::{DoubleRisk, Kabooot, Nineteen, Plain, Squares};
use super::field::{FieldKind, RuleValue};
use super::options::{OptionText, OptionValue, OptionValues, RulesetOption, flag, named, number};
use super::*;
use crate::choice::Choice;
use crate::seat::Seat;

/// The version of the presets. A change to a preset needs a new version; games in progress keep theirs.
///
/// A new field needs none if its preset is the behaviour before: histories without the field get that value.
const VERSION: u32 = 1;

const FOUR: &[RulesetId] = &[Squares, Kabooot, Plain, DoubleRisk];
const BID: &[RulesetId] = &[Squares, Kabooot, DoubleRisk];
const STARTED: &[RulesetId] = &[Squares, DoubleRisk];

/// The published description of a field of [`Ruleset`].
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name in JSON.
    pub name: &'static str,
    /// The meaning, in one sentence.
    pub about: &'static str,
    /// The type of its values.
    pub kind: FieldKind,
    /// The minimum and maximum of a number.
    pub range: Option<(u8, u8)>,
}

/// Declares the table. A line is `name: type [range] = value, Ruleset: other value => option;`: the value applies to
/// each ruleset that is not named after it. An option lists the rulesets that have it, its values if they are not
/// all values of the type, its rulings, and its title and description in English and in Arabic.
macro_rules! rules {
    ($(
        #[doc = $about:literal]
        $field:ident: $type:ty $([$min:literal..=$max:literal])? = $value:expr $(, $id:ident: $own:expr)*
            $(=> $option:ident($($values:tt)*))?;
    )+) => {
        /// All rules of one game.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(from = "RecordedRuleset")]
        pub struct Ruleset {
            /// The ruleset of the preset.
            pub id: RulesetId,
            /// The version of the preset; increased when a preset changes.
            pub version: u32,
            /// The number of players: 2‥5 in `nineteen`, else 4.
            pub players: u8,
            $(#[doc = $about] pub $field: $type,)+
        }

        /// A ruleset as a record holds it.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct RecordedRuleset {
            id: RulesetId,
            version: u32,
            players: u8,
            $(#[serde(default, deserialize_with = "present")] $field: Option<$type>,)+
        }

        impl From<RecordedRuleset> for Ruleset {
            /// A record of an earlier version lacks the fields that later versions added. They have the values
            /// of the preset, which were the rules before the fields existed.
            fn from(recorded: RecordedRuleset) -> Ruleset {
                let preset = Ruleset::preset(recorded.id);
                Ruleset {
                    id: recorded.id,
                    version: recorded.version,
                    players: recorded.players,
                    $($field: recorded.$field.unwrap_or(preset.$field),)+
                }
            }
        }

        impl Ruleset {
            /// The fields after `id`, `version` and `players`, in published order.
            pub const FIELDS: &[Field] = &[$(Field {
                name: stringify!($field),
                about: $about,
                kind: <$type as RuleValue>::KIND,
                range: rules!(@range $($min, $max)?),
            }),+];

            /// The preset of a ruleset, for 4 players.
            pub fn preset(id: RulesetId) -> Ruleset {
                Ruleset {
                    id,
                    version: VERSION,
                    players: 4,
                    $($field: match id { $($id => $own,)* _ => $value },)+
                }
            }
        }

        /// Every option, in published order.
        pub(super) const OPTIONS: &[RulesetOption] =
            &[$($($option!($field: $type, $($values)*),)?)+];
    };
    (@range $min:literal, $max:literal) => { Some(($min, $max)) };
    (@range) => { None::<(u8, u8)> };
}

/// Reads a field that is present, so that `null` differs from a missing field.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(reader: D) -> Result<Option<T>, D::Error> {
    T::deserialize(reader).map(Some)
}

rules! {
    /// Which way deal and play go round.
    direction: Direction = Direction::Counterclockwise, Nineteen: Direction::Clockwise;

    /// What the rounds are.
    plan: Plan = Plan::Rounds, Nineteen: Plan::Turns;

    /// The dealer of round 1, unless the draw for seats says otherwise.
    first_dealer: Seat = Seat::new(3), Nineteen: Seat::new(0);

    /// Whether a hand that lacks a suit is asked for redeal or avoid.
    void_check: bool = true, Nineteen: false, Plain: false;

    /// The kind of dash there is beside estimating 0.
    dash: Dash = Dash::Call, Nineteen: Dash::None, Kabooot: Dash::Blind;

    /// How many zeros a round may hold, of whatever kind; null for no limit.
    zero_limit: Option<u8> [0..=5] = None, Kabooot: Some(2), DoubleRisk: Some(2);

    /// What follows when nobody bids.
    unbid: Unbid = Unbid::Redeal, Squares: Unbid::Fold, Plain: Unbid::PassDeal;

    /// Whether the highest estimator of a fast round is its bidder.
    fast_bidder: bool = true, Nineteen: false, Plain: false;

    /// Whether an estimate equal to the bidder's call makes a With in auction rounds.
    withs: bool = true, Nineteen: false, Plain: false;

    /// Whether it does in fast rounds too.
    fast_withs: bool = true, Nineteen: false, Kabooot: false, Plain: false;

    /// Whether a round that nobody makes is void: no points, and the carry grows.
    void_unmade: bool = true, Nineteen: false, Plain: false;

    /// The formula of its scores.
    scoring: Scoring = Scoring::Roles, Nineteen: Scoring::Penalty, Squares: Scoring::Squares, Kabooot: Scoring::RoundNumber, Plain: Scoring::Difference;

    /// Option `length`: how long the game is.
    length: Length = Length::Full
        => named(FOUR; "below";
            "Length", "How long the game is: full is 18 rounds, mini 5 auction and 5 fast rounds, micro 5 auction rounds.";
            "طول اللعبة", "طول اللعبة: الكاملة ١٨ جولة، والصغيرة ٥ جولات مزاد و٥ سريعة، والقصيرة ٥ جولات مزاد.");

    /// Option `order`: how the hand size runs.
    order: Order = Order::UpDown
        => named(&[Nineteen]; "`nineteen` R11";
            "Order", "Whether the hands grow to ten cards and shrink again, or the other way round.";
            "ترتيب التوزيع", "هل يزداد عدد الأوراق إلى عشر ثم ينقص، أم العكس.");

    /// Option `jokers`: how many jokers replace the lowest cards.
    jokers: u8 [0..=2] = 0
        => number(&[Nineteen], 0..=2; "`nineteen` R12";
            "Jokers", "How many jokers replace the lowest cards of the deck, as the highest trumps.";
            "الجوكر", "كم جوكرًا يحل محل أدنى أوراق الرزمة، كأعلى أوراق الحكم.");

    /// Option `concealed_tricks`: whether tricks taken stay hidden until the round is scored.
    concealed_tricks: bool = false
        => flag(&RulesetId::ALL; "C9, `nineteen` R13";
            "Concealed tricks", "Whether the number of tricks each player has taken stays hidden until the round is scored.";
            "إخفاء اللمات", "هل يبقى عدد لمات كل لاعب مخفيًا حتى تُحسب الجولة.");

    /// Option `revokes`: what happens to a card that breaks the duty to follow suit.
    revokes: Revokes = Revokes::Refuse
        => named(&[Nineteen]; "C5, `nineteen` R10";
            "Revokes", "Whether a card that breaks the duty to follow suit is refused, or accepted and penalised.";
            "مخالفة اللون", "هل تُرفض الورقة التي تخالف واجب اتباع اللون، أم تُقبل ويُجازى صاحبها.");

    /// Option `starter_rotation`: who starts the next round.
    starter_rotation: StarterRotation = StarterRotation::Rotate
        => named(STARTED; "`squares` R1, `double-risk` R4";
            "Starter rotation", "Who starts the next round: the next seat, always seat 0, or the seat that last was bidder.";
            "من يبدأ الجولة", "من يبدأ الجولة التالية: المقعد التالي، أم المقعد صفر دائمًا، أم آخر صاحب طلب.");

    /// Option `auction`: how trump and bidder are found.
    auction: AuctionKind = AuctionKind::Ascending, Nineteen: AuctionKind::None, Plain: AuctionKind::SingleCall
        => named(BID, ["ascending", "single_call"]; "`squares` R2, `kabooot` R1, `double-risk` R4";
            "Auction", "Whether bids must beat each other until all but one have passed, or everybody calls once.";
            "نوع المزاد", "هل يجب أن يعلو كل طلب على ما قبله حتى يمر الجميع إلا واحدًا، أم يطلب كل لاعب مرة واحدة.");

    /// Option `minimum_bid`: the lowest number of tricks that may be bid.
    minimum_bid: u8 [1..=7] = 4
        => number(FOUR, 1..=7; "`squares` R3, `kabooot` R1, `plain` R3, `double-risk` R4";
            "Minimum bid", "The lowest number of tricks that may be bid.";
            "أقل طلب", "أقل عدد من اللمات يمكن طلبه.");

    /// Option `dash_call_timing`: when dash calls are made.
    dash_call_timing: DashCallTiming = DashCallTiming::InAuction
        => named(STARTED; "`squares` R4, `double-risk` R4";
            "Dash call timing", "Whether a dash call is made instead of one's first call, or asked of everybody before the auction.";
            "وقت الداش كول", "هل يُقال الداش كول بدل أول طلب للاعب، أم يُسأل عنه الجميع قبل المزاد.");

    /// Option `fast_redeal`: whether a hand that lacks a suit may ask for a redeal in fast rounds too.
    fast_redeal: bool = false
        => flag(BID; "`squares` R5, `kabooot` R1";
            "Fast redeal", "Whether a hand that lacks a suit may ask for a redeal in fast rounds too.";
            "إعادة التوزيع في السريعة", "هل يجوز لمن ينقصه لون أن يطلب إعادة التوزيع في الجولات السريعة أيضًا.");

    /// Option `fast_trump_change`: whether an estimate may name a new trump in fast rounds.
    fast_trump_change: bool = false, Squares: true
        => flag(&[Squares]; "`squares` R14";
            "Fast trump change", "Whether an estimate of eight or more may name a new trump in fast rounds.";
            "تغيير الحكم في السريعة", "هل يجوز لتقدير من ثمانية فأكثر أن يسمي حكمًا جديدًا في الجولات السريعة.");

    /// Option `risk_ladder`: where the Risk's levels begin.
    risk_ladder: RiskLadder = RiskLadder::FromOne
        => named(BID; "`squares` R7, `kabooot` R1, `double-risk` R3";
            "Risk ladder", "Whether the levels of the Risk begin when the total misses 13 by one, or by two.";
            "سلم الريسك", "هل تبدأ درجات الريسك عندما يبتعد المجموع عن ١٣ بواحد، أم باثنين.");

    /// Option `with_penalty`: whether a With that loses pays as the bidder does.
    with_penalty: bool = false, DoubleRisk: true
        => flag(BID; "`squares` R8, `kabooot` R5, `double-risk` R10";
            "With penalty", "Whether a With that loses pays ten more, as the bidder does.";
            "جزاء الويذ", "هل يدفع الويذ الخاسر عشرة زيادة مثل صاحب الطلب.");

    /// Option `carry_ladder`: how the carry grows.
    carry_ladder: CarryLadder = CarryLadder::Add
        => named(BID; "`squares` R12, `kabooot` R8, `double-risk` R8";
            "Carry ladder", "How rounds without a winner multiply the next: 2, 3, 4 …, 2, 4, 8 …, or always 2.";
            "سلم الترحيل", "كيف تضاعف الجولات بلا فائز ما يليها: ٢ ثم ٣ ثم ٤، أو ٢ ثم ٤ ثم ٨، أو ٢ دائمًا.");

    /// Option `high_call_extras`: which extras a call of eight or more gets.
    high_call_extras: HighCallExtras = HighCallExtras::All
        => named(&[Squares]; "`squares` R9";
            "High call extras", "Which extras a call of eight or more gets beside its square.";
            "زيادات الطلب العالي", "ما الزيادات التي تُضاف إلى مربع طلب الثمانية فأكثر.");

    /// Option `half_square`: how half a square is made whole.
    half_square: HalfSquare = HalfSquare::Floor
        => named(&[Squares]; "`squares` R9, C7";
            "Half square", "Whether the half square of a lost odd call is rounded down or up.";
            "نصف المربع", "هل يُقرَّب نصف مربع الطلب الفردي الخاسر إلى أسفل أم إلى أعلى.");

    /// Option `blind_dash_swap`: whether blind dashes score the other way round.
    blind_dash_swap: bool = false
        => flag(&[Kabooot]; "`kabooot` R6";
            "Blind dash swap", "Whether a blind dash that wins scores 10 over and 20 under instead of 20 over and 10 under.";
            "تبديل الداش الأعمى", "هل يساوي الداش الأعمى الفائز ١٠ في الأوفر و٢٠ في الأندر، بدل ٢٠ في الأوفر و١٠ في الأندر.");

    /// Option `seating`: how seats are given.
    seating: Seating = Seating::AsJoined, Plain: Seating::Draw
        => named(&[Plain]; "`plain`, the seats";
            "Seating", "Whether cards are drawn for the choice of seats, or everybody keeps the seat they joined.";
            "المقاعد", "هل تُسحب أوراق لاختيار المقاعد، أم يبقى كل لاعب في المقعد الذي جلس فيه.");

    /// Option `cut`: whether the pack is cut.
    cut: bool = false, Plain: true
        => flag(&[Plain]; "`plain`, the deal";
            "Cut", "Whether the player on the dealer's right cuts the pack before each deal.";
            "قطع الورق", "هل يقطع اللاعب على يمين الموزع الورق قبل كل توزيع.");

    /// Option `bid_direction`: which way round the table bids and estimates go.
    bid_direction: Direction = Direction::Counterclockwise, Nineteen: Direction::Clockwise, Plain: Direction::Clockwise
        => named(&[Plain]; "`plain` R2";
            "Bid direction", "Which way round the table bids and estimates go.";
            "اتجاه الطلبات", "في أي اتجاه تدور الطلبات والتقديرات حول الطاولة.");

    /// Option `first_lead`: who leads the first trick.
    first_lead: FirstLead = FirstLead::Declarer, Nineteen: FirstLead::AfterFirstEstimator, Plain: FirstLead::DealersRight
        => named(&[Plain], ["dealers_right", "declarer"]; "`plain` R1";
            "First lead", "Who leads the first trick of a hand.";
            "أول ورقة", "من يلعب أول ورقة في الجولة.");

    /// Option `allow_pass`: whether a player may pass instead of bidding.
    allow_pass: bool = true, Plain: false
        => flag(&[Plain]; "`plain` R3";
            "Allow pass", "Whether a player may pass instead of bidding.";
            "السماح بالباص", "هل يجوز للاعب أن يمر بدل أن يطلب.");

    /// Option `no_trump_bids`: whether no trump may be bid.
    no_trump_bids: bool = true
        => flag(&[Plain]; "`plain` R5";
            "No trump bids", "Whether no trump may be bid.";
            "طلب بلا حكم", "هل يجوز الطلب بلا حكم.");

    /// Option `dash_limit`: how many dash calls or blind dashes a round may hold.
    dash_limit: u8 [0..=3] = 2, Nineteen: 0, Squares: 3
        => number(&[Plain], 2..=3; "`plain` R4";
            "Dash limit", "How many players may make a dash call in one hand.";
            "عدد الداش كول", "كم لاعبًا يجوز له أن يقول داش كول في الجولة الواحدة.");

    /// Option `forbid_thirteen`: whether the last to estimate is barred from completing the total.
    forbid_thirteen: bool = true, Plain: false
        => flag(&[Plain]; "`plain` R6";
            "Forbid thirteen", "Whether the last to estimate is barred from bringing the total to 13, and is named Risk.";
            "منع الثلاثة عشر", "هل يُمنع آخر من يقدّر من إكمال المجموع إلى ١٣، ويسمى الريسك.");
}
