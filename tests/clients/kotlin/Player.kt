// A seat at a table, played from `legal`: generated models (Gson) over java.net.http.

import com.google.gson.Gson
import com.google.gson.GsonBuilder
import com.google.gson.JsonDeserializer
import estimation.models.*
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.time.OffsetDateTime

/** Instants need an adapter. */
val gson: Gson = GsonBuilder()
    .registerTypeAdapter(OffsetDateTime::class.java, JsonDeserializer { json, _, _ -> OffsetDateTime.parse(json.asString) })
    .create()

/** The types of commands that this program knows. */
val KNOWN = setOf(
    "choose_seat", "cut", "redeal", "avoid", "enter_auction", "blind_dash", "bid", "pass", "dash_call", "estimate",
    "play", "resume",
)

class Refused(val problem: Problem) : Exception("${problem.status} ${problem.code}: ${problem.detail}")

class Player(private val url: String) {
    private val http = HttpClient.newHttpClient()
    private val token = post<Registration>("/v1/accounts/guest", RegisterGuestRequest()).session.accessToken
    var played = 0

    inline fun <reified T> get(path: String): T = gson.fromJson(send(path, null, null), T::class.java)

    inline fun <reified T> post(path: String, body: Any? = null, tag: String? = null): T =
        gson.fromJson(send(path, body?.let(gson::toJson).orEmpty(), tag), T::class.java)

    fun send(path: String, body: String?, tag: String?): String {
        val request = HttpRequest.newBuilder(URI(url + path))
        // Null while this player is being registered.
        @Suppress("SENSELESS_COMPARISON")
        if (token != null) request.header("Authorization", "Bearer $token")
        if (tag != null) request.header("If-Match", tag)
        if (!body.isNullOrEmpty()) request.header("Content-Type", "application/json")
        if (body != null) request.POST(HttpRequest.BodyPublishers.ofString(body))
        val answer = http.send(request.build(), BodyHandlers.ofString())
        if (answer.statusCode() >= 300) throw Refused(gson.fromJson(answer.body(), Problem::class.java))
        return answer.body()
    }

    /** Posts commands as long as it is this player's turn, and returns the last view. */
    fun act(game: String): GameView {
        var view = get<GameView>("/v1/games/$game")
        while (true) {
            val command = choose(view.legal) ?: return view
            // The server compares the version and the hash alone.
            val tag = "\"${view.version}.${view.head.hash.take(16)}.${"0".repeat(16)}\""
            view = checkNotNull(post<CommandAnswer>("/v1/games/$game/commands", command, tag).game)
            played++
        }
    }

    /** A bid of at most four tricks, else a pass, else the first legal command of a known type. */
    private fun choose(legal: List<Command>): Command? {
        val known = legal.filter { it.type in KNOWN }
        return known.find { it.type == "bid" && (it.tricks ?: 0) <= 4 }
            ?: known.find { it.type == "pass" } ?: known.firstOrNull()
    }
}
