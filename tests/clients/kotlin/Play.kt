// Plays a whole game against itself: `PlayKt URL RULESET`. Then it reads the game back: scores, events, the list and
// a problem.

import estimation.models.*

fun main(arguments: Array<String>) {
    val (url, name) = arguments
    val ruleset = KnownRulesetId.entries.first { it.value == name }
    val nineteen = name == "nineteen"
    val players = List(if (nineteen) 2 else 4) { Player(url) }
    val options = if (nineteen) null else RequestedOptions(length = RequestedOptions.Length.micro)
    val host = players.first()
    val body = CreateGameRequest(ruleset, options = options, players = players.size)
    val game = host.post<GameView>("/v1/games", body).id.toString()
    for (guest in players.drop(1)) guest.post<GameView>("/v1/games/$game/seats", JoinRequest())
    var view = host.post<GameView>("/v1/games/$game/start")
    var turn = 0
    while (view.status != "finished") {
        check(turn < 10_000) { "the game is ${view.status}" }
        view = players[turn++ % players.size].act(game)
    }
    readBack(host, game)
    println("$name: ${players.sumOf { it.played }} commands, totals ${view.scores.totals}")
}

/** Reads what an app shows after a game, and checks that each answer is complete. */
fun readBack(host: Player, game: String) {
    val sheet = host.get<ScoreSheet>("/v1/games/$game/scores")
    check(sheet.status == "finished" && sheet.rounds.first().seats.size == sheet.totals.size) { "the sheet lacks scores" }
    val events = host.get<EventPage>("/v1/games/$game/events")
    check(events.items.first().event.type == "game_created") { "the first event is another" }
    val list = host.get<GamePage>("/v1/games?mine=true")
    check(list.items.first().id.toString() == game) { "the list does not have the game" }
    val refused = runCatching { host.post<GameView>("/v1/games/$game/start") }.exceptionOrNull()
    check(refused is Refused && refused.problem.code.isNotEmpty()) { "a second start was not refused: $refused" }
}
