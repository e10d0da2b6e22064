"""The Space; the page is in `playground/page.py`, so that child processes, which import this file, need no gradio."""

if __name__ == "__main__":
    from playground.page import main

    main()
