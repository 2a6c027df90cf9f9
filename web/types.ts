// Names of types that every module knows without an import. The server does not serve this file.

/** What the API sends and takes, by the names of its document. `tests/web/check.sh types` makes `schema.d.ts` of it. */
type Schemas = import("./schema").components["schemas"];
type Paths = import("./schema").paths;

type GameView = Schemas["GameView"];
type Command = Schemas["Command"];
type EventEnvelope = Schemas["EventEnvelope"];
type Game = import("./game/store.js").Game;
type GameReport = import("./verify/index.js").GameReport;
type Shown = import("./show/shown.js").Shown;

/** What `useRef` returns for an element that is not drawn yet. */
type Ref<T> = { current: T | null };

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The path templates that take a method. */
type PathOf<M extends Method> = {
  [P in keyof Paths]: Paths[P] extends Record<Lowercase<M>, { responses: unknown }> ? P : never;
}[keyof Paths];

type Operation<M extends Method, P extends PathOf<M>> = Paths[P][Lowercase<M> & keyof Paths[P]];

/** What a request needs: the parameters of its path and of its query, and the body. */
type Needed<M extends Method, P extends PathOf<M>> = OptionsOf<Operation<M, P>>;

/** Of one operation at a time: the product of all paths, queries and bodies is too much for the compiler. */
type OptionsOf<O> = O extends unknown ? PathOptions<O> & QueryOptions<O> & BodyOptions<O> : never;

/** Names in paths come from addresses and answers, which may have more than a list of the document. */
type PathOptions<O> = O extends { parameters: { path: infer Path } }
  ? { path: { [Name in keyof Path]: Path[Name] extends string ? string : Path[Name] } }
  : { path?: undefined };

type QueryOptions<O> = O extends { parameters: { query: infer Query } }
  ? { query: Query }
  : O extends { parameters: { query?: object } }
    ? { query?: O["parameters"]["query"] }
    : { query?: undefined };

type BodyOptions<O> = O extends { requestBody: { content: { "application/json": infer Body } } }
  ? { body: Body }
  : { body?: undefined };

/** Options of which all may be missing need not be written. */
type Optional<Options> = {} extends Options ? [options?: Options] : [options: Options];

/** What an operation returns: JSON if it can, else text; null without a body. */
type Answer<M extends Method, P extends PathOf<M>> = Returned<Operation<M, P>>;

type Returned<O> = O extends { responses: { 200: { content: infer Content } } | { 201: { content: infer Content } } }
  ? Content extends { "application/json": infer Json }
    ? Json
    : Content[keyof Content]
  : null;

/** A request by the path template of the document. */
type Api = <M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  ...options: Optional<Needed<M, P> & import("./api/client.js").Options>
) => Promise<Answer<M, P>>;

/** What `useLoaded` takes beside the path template. */
type LoadOptions<P extends PathOf<"GET">> = Optional<Needed<"GET", P> & { seconds?: number }>;

/** What `useLoaded` returns. */
type Loaded<P extends PathOf<"GET">> = { data: Answer<"GET", P> | null; error: unknown; reload: () => void };
