"""The theme of the page: gradio's own, with one accent and one neutral colour, and less room around things."""

from __future__ import annotations

import gradio as gr

_ACCENT = gr.themes.Color(
    name="accent",
    c50="#f0f6fd",
    c100="#d5e3f4",
    c200="#b3cfee",
    c300="#8ab6e6",
    c400="#79c0ff",
    c500="#1f5fa8",
    c600="#0550ae",
    c700="#04459a",
    c800="#14365c",
    c900="#102a49",
    c950="#0a1d33",
)
_NEUTRAL = gr.themes.Color(
    name="neutral",
    c50="#f6f8fa",
    c100="#eaeef2",
    c200="#d0d4d9",
    c300="#afb8c1",
    c400="#a3adb8",
    c500="#57606a",
    c600="#454c54",
    c700="#3d444d",
    c800="#21262d",
    c900="#161b22",
    c950="#0d1117",
)
_INK, _SOFT = ("#1f2328", "#e6edf3"), ("#57606a", "#a3adb8")  # light, dark; 4.5 to 1 on every background


_COLOURS = {
    "body_background_fill": ("#fff", "#0d1117"),
    "body_text_color": _INK,
    "body_text_color_subdued": _SOFT,
    "block_info_text_color": _SOFT,
    "block_label_text_color": _SOFT,
    "block_title_text_color": _SOFT,
    "background_fill_primary": ("#fff", "#0d1117"),
    "block_background_fill": ("#fff", "#0d1117"),
    "border_color_primary": ("#d0d4d9", "#3d444d"),
    "input_background_fill": ("#fff", "#0d1117"),
    "input_placeholder_color": _SOFT,
    "checkbox_background_color": ("#fff", "#0d1117"),
    "checkbox_border_color": _SOFT,
    "checkbox_label_background_fill": ("#fff", "#0d1117"),
    "code_background_fill": ("#f6f8fa", "#161b22"),
    "link_text_color": ("#0550ae", "#79c0ff"),
    "link_text_color_hover": ("#04459a", "#8ab6e6"),
    "link_text_color_visited": ("#0550ae", "#79c0ff"),
    "button_primary_background_fill": ("#0550ae", "#1f5fa8"),
    "button_primary_background_fill_hover": ("#04459a", "#0550ae"),
    "button_primary_text_color": ("#fff", "#fff"),
    "button_secondary_background_fill": ("#fff", "#0d1117"),
    "button_secondary_background_fill_hover": ("#f6f8fa", "#21262d"),
    "button_secondary_border_color": ("#d0d4d9", "#3d444d"),
    "button_secondary_text_color": _INK,
}
_SIZES = {
    "button_border_width": "1px",
    "button_large_padding": "5px 12px",
    "button_large_text_size": "13px",
    "button_large_text_weight": "600",
    "button_transition": "none",
    "layout_gap": "10px",
}


def page_theme() -> gr.themes.Base:
    """The theme, whose colours are those of the score tree and of `page.css`."""
    theme = gr.themes.Default(
        primary_hue=_ACCENT,
        secondary_hue=_ACCENT,
        neutral_hue=_NEUTRAL,
        spacing_size="sm",
        radius_size="sm",
        text_size="sm",
        font=["system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
    )
    light = {name: colour for name, (colour, _) in _COLOURS.items()}
    dark = {f"{name}_dark": colour for name, (_, colour) in _COLOURS.items()}
    return theme.set(**light, **dark, **_SIZES)
