"""Write the receipts example: references, predictions and raw model texts."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from datetime import datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from random import Random
from typing import Any

from mistakes import MISTAKES, Json, Mistake, Receipt, chance

HERE = Path(__file__).resolve().parent
WORLD = json.loads((HERE / "world.json").read_text(encoding="utf-8"))
ONE_OF = "$one_of"
PERFECT = 6
MOST_MISTAKES = 5
REFUSAL = "I cannot read this receipt."
PREFACES = ("Here is the extracted data:", "Sure! This is the receipt as JSON:")
STYLES = {  # how many of the readable answers get each wrapping; the rest is plain
    "fence": 5,
    "preface": 2,
    "preface fence": 3,
    "comma": 4,
    "cut": 3,
    "python": 2,
}
REPAIRED, BROKEN = 16, 5  # by the later model
Locale = dict[str, str]


def rounded(value: Decimal, locale: Locale) -> Decimal:
    """Round to the smallest coin."""
    return value.quantize(Decimal(locale["cent"]), ROUND_HALF_UP)


def money(value: Decimal, locale: Locale) -> str:
    """Print a number the way the country does."""
    return f"{value:,}".translate(str.maketrans(",.", locale["separators"]))


def make_row(item: list[Any], locale: Locale, rng: Random) -> tuple[Receipt, Decimal]:
    """Buy some of one item and return its row and amount."""
    text, _, unit = item[1].partition("/")
    low, high, divisor = WORLD["units"][unit]
    price, count = Decimal(text), rng.randint(low, high)
    amount = rounded(price * count / divisor, locale)
    row: Receipt = {"name": item[0]}
    row["quantity"] = count if divisor == 1 else count / divisor
    row["unit_price"] = money(price, locale)
    if not unit and chance(rng, 10):
        discount = rounded(amount / -5, locale)
        row["discount"] = money(discount, locale)
        amount += discount
    row["amount"] = money(amount, locale)
    if item[3:] and chance(rng, 60):
        row["modifiers"] = rng.sample(item[3], rng.randint(1, len(item[3])))
    return row, amount


def make_totals(sums: dict[str, Decimal], locale: Locale) -> tuple[Receipt, Decimal]:
    """Add up the sums by tax rate: the subtotal and the taxes make the total."""
    added = locale["currency"] == "USD"
    net = total = sum(sums.values(), Decimal(0))
    rows = []
    for rate in sorted(set(sums) - {""}, key=Decimal):
        percent = Decimal(rate)
        base = 100 if added else 100 + percent
        tax = rounded(sums[rate] * percent / base, locale)
        net, total = (net, total + tax) if added else (net - tax, total)
        row = {"rate": money(percent, locale) + "%", "amount": money(tax, locale)}
        rows.append(row)
    totals = {"subtotal": money(net, locale), "tax": rows}
    return {**totals, "total": money(total, locale)}, total


def make_payment(total: Decimal, locale: Locale, rng: Random) -> Receipt:
    """Pay by card, or in cash with the next round sum."""
    if chance(rng, 60):
        digits = f"{rng.choice([rng.randint(0, 999), rng.randint(0, 9999)]):04}"
        return {"method": "card", "card_last4": digits, "change": None}
    note = 1000 if locale["currency"] == "JPY" else 10
    paid = rounded((total // note + 1) * note, locale)
    cash = {"tendered": money(paid, locale), "change": money(paid - total, locale)}
    return {"method": "cash", "card_last4": None, **cash}


def make_receipt(shop: Receipt, rng: Random) -> Receipt:
    """Go shopping once and return the true receipt."""
    locale = WORLD["locales"][shop["locale"]]
    when = datetime(2024, 1, 2, 8, tzinfo=timezone.utc)
    when += timedelta(days=rng.randint(0, 350), minutes=rng.randint(0, 660))
    most = min(14, len(shop["items"]))
    items = rng.sample(shop["items"], max(rng.randint(1, most), rng.randint(1, most)))
    rows, sums = [], {item[2]: Decimal(0) for item in items}
    for item in items:
        row, amount = make_row(item, locale, rng)
        rows.append(row)
        sums[item[2]] += amount
    totals, total = make_totals(sums, locale)
    receipt = {
        "merchant": {key: shop[key] for key in ("name", "address", "vat_id")},
        "date": locale["date"].format(d=when.day, m=when.month, y=when.year),
        "time": when.strftime(locale["time"]),
        "receipt_number": locale["number"].format(rng.randint(1, 999)),
        "currency": locale["currency"],
        "items": rows,
        "totals": totals,
        "payment": make_payment(total, locale, rng),
    }
    if chance(rng, 40):
        receipt.update(refund=False, copy=chance(rng, 30))
    return receipt


def one_row_per_piece(receipt: Receipt) -> Receipt:
    """Return the equally right answer that gives every piece its own row."""
    rows = []
    for row in receipt["items"]:
        single = {**row, "quantity": 1, "amount": row["unit_price"]}
        many = "discount" not in row and isinstance(row["quantity"], int)
        rows += [single] * row["quantity"] if many else [row]
    return {**receipt, "items": rows}


def acceptable(receipts: list[Receipt]) -> list[list[Receipt]]:
    """List the acceptable answers of every receipt: one, save for a few of them."""
    answers = [[deepcopy(receipt)] for receipt in receipts]
    short = [answer for answer in answers if len(answer[0]["items"]) in range(2, 5)]
    for answer in [a for a in short if one_row_per_piece(a[0]) != a[0]][-2:]:
        answer.append(one_row_per_piece(answer[0]))
    dated = next(a[0] for a in answers if "年" in a[0]["date"])
    year, month, day = re.findall(r"\d+", dated["date"])
    dated["date"] = {ONE_OF: [dated["date"], f"{year}-{month:>02}-{day:>02}"]}
    cafe = next(a[0]["merchant"] for a in answers if "☕" in a[0]["merchant"]["name"])
    cafe["name"] = {ONE_OF: [cafe["name"], cafe["name"].strip(" ☕")]}
    return answers


def settle(node: Json) -> Json:
    """Copy an answer with the last choice for every one-of marker."""
    if isinstance(node, list):
        return [settle(child) for child in node]
    if isinstance(node, dict) and ONE_OF in node:
        return node[ONE_OF][-1]
    if isinstance(node, dict):
        return {key: settle(child) for key, child in node.items()}
    return node


def json_text(value: object, indent: int | None = None) -> str:
    """Print a value as JSON."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def attempt(mistake: Mistake, receipt: Receipt, rng: Random) -> Receipt:
    """Return a copy with the mistake, trying a few times until one shows."""
    for _ in range(50):
        trial = deepcopy(receipt)
        mistake(trial, rng)
        if json_text(trial) != json_text(receipt):
            return trial
    return receipt


def spoil(receipts: list[Receipt], rng: Random) -> list[Receipt]:
    """Deal all mistakes out to the receipts, at most five to each."""
    plans: list[list[Mistake]] = [[] for _ in receipts]
    for mistake, count in MISTAKES.items():
        able = [
            plan
            for plan, receipt in zip(plans, receipts, strict=True)
            if len(plan) < MOST_MISTAKES and attempt(mistake, receipt, rng) != receipt
        ]
        for plan in rng.sample(able, count):
            plan.append(mistake)
    for place, plan in enumerate(plans):
        for mistake in plan:
            receipts[place] = attempt(mistake, receipts[place], rng)
    return receipts


def predict(answers: list[list[Receipt]], rng: Random) -> list[Any]:
    """Predict every receipt: some right, one refused, one not at all, most spoiled."""
    predictions = [settle(choices[-1]) for choices in answers]
    places = rng.sample(range(len(answers)), len(answers))
    nothing, refused, *others = places[PERFECT:]
    predictions[nothing], predictions[refused] = None, REFUSAL
    spoiled = spoil([predictions[place] for place in others], rng)
    for place, prediction in zip(others, spoiled, strict=True):
        predictions[place] = prediction
    return predictions


def predict_later(answers: list[list[Receipt]], earlier: list[Any], rng: Random) -> list[Any]:
    """Predict again with a later model: what was not read is read, parts are repaired, a few are newly wrong."""
    truths = [settle(choices[-1]) for choices in answers]
    later = deepcopy(earlier)
    for place, truth in enumerate(truths):
        if not isinstance(later[place], dict):
            later[place] = truth
    repairable = [place for place, truth in enumerate(truths) if later[place] != truth]
    for place in rng.sample(repairable, REPAIRED):
        wrong = [key for key, value in truths[place].items() if later[place].get(key) != value]
        for key in wrong[:1]:
            later[place][key] = truths[place][key]
    for place in rng.sample(range(len(truths)), BROKEN):
        for mistake in rng.sample(list(MISTAKES), len(MISTAKES)):
            try:
                later[place], before = attempt(mistake, later[place], rng), later[place]
            except (AttributeError, KeyError, TypeError):  # the earlier model left nothing to spoil there
                continue
            if later[place] != before:
                break
    return later


def as_text(prediction: object, style: str, rng: Random) -> str:
    """Print a prediction the way a model would."""
    if not isinstance(prediction, dict):
        return str(prediction or "")
    text = json_text(prediction, rng.choice([None, 2]))
    if style == "comma":
        text = json_text(prediction, 2)
        text = re.sub(r"(?<=[^\[{])(\n *[]}])", r",\1", text, count=rng.choice([0, 1]))
    if style == "cut":
        text = text[: rng.randint(len(text) * 2 // 5, len(text) * 9 // 10)]
    if style == "python":
        text = repr(prediction)
    if "fence" in style:
        text = f"```json\n{text}\n```"
    if "preface" in style:
        text = f"{rng.choice(PREFACES)}\n\n{text}"
    return text


def as_texts(predictions: list[Any], rng: Random) -> list[str]:
    """Print all predictions, the readable ones in the styles dealt out."""
    readable = sum(isinstance(prediction, dict) for prediction in predictions)
    styles = [style for style, count in STYLES.items() for _ in range(count)]
    styles += ["plain"] * (readable - len(styles))
    rng.shuffle(styles)
    return [
        as_text(prediction, styles.pop() if isinstance(prediction, dict) else "", rng) for prediction in predictions
    ]


def texts_in(value: Any) -> set[str]:
    """All values in it as text."""
    if isinstance(value, dict | list):
        return set().union(*map(texts_in, value.values() if isinstance(value, dict) else value))
    return {str(value)}


def confident(prediction: Any, right: set[str], rng: Random) -> Any:
    """Wrap every value with a confidence, which is mostly high where it stands somewhere in the answers."""
    if isinstance(prediction, dict):
        return {key: confident(value, right, rng) for key, value in prediction.items()}
    if isinstance(prediction, list):
        return [confident(value, right, rng) for value in prediction]
    doubt = rng.random() ** 3 * 0.6 if str(prediction) in right else rng.random()
    return None if prediction is None else {"$value": prediction, "$confidence": round(1 - doubt, 2)}


def save(name: str, key: str, questions: list[str], values: list[Any]) -> None:
    """Write one question per line beside this script."""
    rows = [{"question_id": q, key: v} for q, v in zip(questions, values, strict=True)]
    text = "".join(json_text(row) + "\n" for row in rows)
    (HERE / name).write_bytes(text.encode())


def main() -> None:
    """Write the five files."""
    rng = Random(2024)
    receipts = [make_receipt(shop, rng) for shop in WORLD["shops"] * 2]
    rng.shuffle(receipts)
    answers = acceptable(receipts)
    names = [f"receipt-{place:03}" for place in range(1, len(answers) + 1)]
    answered = list(zip(names, predict(answers, rng), strict=True))
    rng.shuffle(answered)
    order, predictions = map(list, zip(*answered, strict=True))
    save("references.jsonl", "references", names, answers)
    save("predictions.jsonl", "prediction", order, predictions)
    save("predictions_text.jsonl", "prediction", order, as_texts(predictions, rng))
    ordered = dict(zip(order, predictions, strict=True))
    later = predict_later(answers, [ordered[name] for name in names], Random(2025))
    save("predictions_new.jsonl", "prediction", names, later)
    doubts = Random(2026)
    sure = [confident(value, texts_in(answer), doubts) for value, answer in zip(later, answers, strict=True)]
    save("predictions_confident.jsonl", "prediction", names, sure)
    print(f"Wrote {len(answers)} receipts and the predictions of two models, one also as text.")


if __name__ == "__main__":
    main()
