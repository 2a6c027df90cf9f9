"""Canonical JSON, and the forms of values."""

import datetime
import json
import re

SAFE = 2**53 - 1
HEX = {digits: re.compile(r"[0-9a-f]{%d}\Z" % digits) for digits in (32, 64, 128)}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
SURROGATE = re.compile(r"[\ud800-\udfff]")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\Z")


class Twice(ValueError):
    """An object has a duplicate key."""


def unique(pairs):
    if len({name for name, _ in pairs}) != len(pairs):
        raise Twice("a duplicate key")
    return dict(pairs)


def whole(digits):
    """An integer; minus zero is none."""
    return -0.0 if digits == "-0" else int(digits)


def finite(digits):
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{digits} is beyond all numbers")
    return number


def no_number(name):
    raise ValueError(f"{name} is not JSON")


NUMBERS = {"parse_int": whole, "parse_float": finite, "parse_constant": no_number}


def check_values(value):
    if isinstance(value, float) or isinstance(value, int) and not -SAFE <= value <= SAFE:
        raise ValueError(f"{value} is no integer within the safe range")
    if isinstance(value, dict):
        for name, member in value.items():
            if not name.isascii():
                raise ValueError(f"the key {name!r} is not ASCII")
            check_values(member)
    if isinstance(value, list):
        for item in value:
            check_values(item)


def canonical(value):
    check_values(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def parse(text):
    value = json.loads(text, object_pairs_hook=unique, **NUMBERS)
    check_text(value)
    return value


def check_text(value):
    if isinstance(value, str) and SURROGATE.search(value):
        raise ValueError("half a character")
    if isinstance(value, dict):
        for name, member in value.items():
            check_text(name)
            check_text(member)
    if isinstance(value, list):
        for item in value:
            check_text(item)


def same(one, other):
    try:
        return canonical(one) == canonical(other)
    except (ValueError, TypeError):
        return False


def instant(at):
    return datetime.datetime.strptime(at, "%Y-%m-%dT%H:%M:%S.%fZ")


def is_number(value, low, high):
    return type(value) is int and low <= value <= high


# The forms of values. Each is a function that tells whether a value has the form.


def number(low, high):
    return lambda value: is_number(value, low, high)


def text(pattern):
    return lambda value: isinstance(value, str) and pattern.match(value) is not None


def one_of(*names):
    return lambda value: isinstance(value, str) and value in names


def none_or(form):
    return lambda value: value is None or form(value)


def each(form, most=5):
    return lambda value: isinstance(value, list) and len(value) <= most and all(map(form, value))


def record(**forms):
    return lambda value: (
        isinstance(value, dict) and set(value) == set(forms) and all(form(value[name]) for name, form in forms.items())
    )


def either(*forms):
    return lambda value: any(form(value) for form in forms)


def rising(form, key):
    """A list of different values in order."""
    def has_form(value):
        if not isinstance(value, list) or not all(map(form, value)):
            return False
        keys = [key(item) for item in value]
        return all(one < other for one, other in zip(keys, keys[1:]))
    return has_form


def is_time(value):
    """A time of the record: RFC 3339 in UTC with three decimals, in the years 0001 to 9998."""
    try:
        return text(TIME)(value) and instant(value).year <= 9998
    except ValueError:
        return False


SAFE_COUNT = number(0, SAFE)
