"""The site: `make docs` builds it into out/site.  The Markdown pages are read as they stand on the forge."""

from __future__ import annotations

import sys
from pathlib import Path

import equipoise

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "Equipoise"
author = "the Equipoise authors"
copyright = "the Equipoise authors, Apache-2.0"
version = release = equipoise.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "public_members",
    "raised_and_lowered",
    "repository_links",
]
root_doc = "index"
exclude_patterns = ["README.md", "_*", "gallery/**.ipynb", "gallery/**.py", "gallery/**.md5"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # a template's function cannot be stored; nothing is lost
default_role = "code"  # docstrings are written like Markdown: `name` is code

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

autosummary_generate = True
autodoc_typehints = "none"  # the numpydoc sections say the types, in words
numpydoc_show_class_members = False  # the template lists them
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": [str(HERE.parent / "examples")],
    "gallery_dirs": ["gallery"],
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": False,
    "only_warn_on_example_error": True,  # -W makes an error of it
    "download_all_examples": False,
    "capture_repr": (),  # what is printed, and nothing else
    "remove_config_comments": True,
    "show_memory": False,
    "plot_gallery": True,
}

toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "Equipoise"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_sidebars = {"tutorial/*": [], "contributing": []}  # sections of one page
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "navbar_align": "left",
    "header_links_before_dropdown": 9,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
