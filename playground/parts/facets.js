// Causes and fields of lost points, as buttons that filter the documents, and the rates of the remaining documents.

import { cutName, findElement, findElements, newButton, newElement, partsOf } from "./elements.js";
import { drawListSums } from "./long_lists.js";
import { newPane } from "./panes.js";

/** @import { View } from "./views.js" */

export class Facets {
  /**
   * @param {HTMLElement} rail
   * @param {(filter: "cause" | "field" | "within", name: string | null) => void} choose  sets or removes a filter
   */
  constructor(rail, choose) {
    this.rail = rail;
    this.part = partsOf(rail, "#testset-");
    this.choose = choose;
    this.pane = newPane(rail);
    this.areAll = false; // whether all fields are shown
  }

  /**
   * @param {Server.View} shown
   * @param {View} view
   * @param {Server.ListSum[]} lists  the lists of all documents
   * @param {string[] | null} intervals  the intervals of the rates of all documents; null if some are left out
   */
  draw(shown, view, lists, intervals) {
    const FIELDS = 10; // fields that are shown at first
    const focused = document.activeElement;
    const held = focused instanceof HTMLElement && this.rail.contains(focused) ? focused.dataset.name : null;
    const fields = this.areAll ? shown.fields : shown.fields.slice(0, FIELDS);
    const left = shown.fields.length - fields.length;
    this.part("lost").textContent = shown.points;
    this.part("causes").replaceChildren(...shown.causes.map((sum) => this.facet("cause", sum, view, "")));
    if (!shown.causes.length && shown.order.length) {
      this.part("causes").append(newElement("li", "facet soft", shown.nothing));
    }
    const sums = drawListSums(lists, view.within, (name) => this.choose("within", name));
    this.part("lists").hidden = !sums.length;
    findElement(this.part("lists"), "ul").replaceChildren(...sums);
    this.part("fields-count").textContent = shown.field_count.toLocaleString("en");
    this.part("fields").replaceChildren(
      ...fields.map((sum) => this.facet("field", sum, view, intervals ? "" : " overall")),
    );
    if (left > 0) {
      const more = newButton("btn ghost", `${left.toLocaleString("en")} more field${left === 1 ? "" : "s"}`, () => {
        this.areAll = true;
        this.draw(shown, view, lists, intervals);
        findElements(this.part("fields"), ".facet")[FIELDS]?.focus();
      });
      this.part("fields").append(newElement("li", "more", more));
    } else if (this.areAll && shown.field_count > shown.fields.length) {
      this.part("fields").append(
        newElement(
          "li",
          "facet soft",
          `${(shown.field_count - shown.fields.length).toLocaleString("en")} more with smaller losses; Export has all.`,
        ),
      );
    }
    this.part("rates").replaceChildren(
      ...shown.rates.map(({ label, share, count }, at) =>
        newElement(
          "li",
          "facet",
          newElement("span", "name", label),
          newElement("span", "num", share),
          newElement("small", "", intervals?.[at] ?? ""),
          newElement("small", "num", count),
        ),
      ),
    );
    this.pane.fresh();
    if (held) {
      findElements(this.rail, ".facet")
        .find((button) => button.dataset.name === held)
        ?.focus({ preventScroll: true });
    }
  }

  /** @type {(filter: "cause" | "field", sum: Server.Sum, view: View, of: string) => HTMLElement} */
  facet(filter, { name, label, title, points, share, documents, score, specimen }, view, of) {
    const isPressed = view[filter] === name;
    const isCause = filter === "cause";
    const button = newButton("facet", "", () => this.choose(filter, isPressed ? null : name));
    const bar = newElement("span", "bar lost", document.createElement("i"));
    bar.style.setProperty("--v", String(share));
    button.title = title;
    button.dataset.name = name;
    button.dataset.cell = "";
    button.tabIndex = -1;
    button.setAttribute("aria-pressed", String(isPressed));
    const below = !isCause
      ? newElement("small", "", `score ${score}${of}`)
      : newElement(
          "code",
          "cut",
          ...(specimen
            ? [this.side(specimen[0], specimen[1], "del"), " → ", this.side(specimen[1], specimen[0], "ins")]
            : []),
        );
    button.append(
      isCause ? newElement("bdi", "name cut", label ?? name) : newElement("bdi", "name mono cut", ...cutName(name)),
      newElement("span", "num", points),
      below,
      newElement("small", "num", documents),
      isCause && isPressed ? newElement("small", "meaning", title) : "",
      bar,
    );
    const item = newElement("li", "", button);
    item.dataset.row = "";
    return item;
  }

  /**
   * Return a value of a specimen, without quotes if they carry no information.
   * @type {(value: string | null, other: string | null, tag: "del" | "ins") => HTMLElement}
   */
  side(value, other, tag) {
    const SHORT = 12; // characters
    if (value === null) return newElement("span", "", "absent");
    const isBare = /^"\s*[^\s"]/.test(value) && (other === null || other.startsWith('"'));
    const text = isBare ? value.slice(1).replace(/"$/, "") : value;
    const beside = (other ?? "absent").length;
    const isLong = text.length > SHORT && text.length + beside > 2 * SHORT;
    return newElement(tag, "", isLong ? `${text.slice(0, Math.max(SHORT, 2 * SHORT - beside) - 1)}…` : text);
  }
}
