// The entry of web/vendor/preact/preact.js, which tests/web/check.sh makes with esbuild.

export { default as htm } from "htm";
export { createElement, render } from "preact";
export { useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
