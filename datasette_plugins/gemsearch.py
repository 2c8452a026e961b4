"""For `datasette --plugins-dir datasette_plugins`: registers the package unless it is there."""

from datasette.plugins import pm

from gemsearch import datasette_plugin

if not pm.is_registered(datasette_plugin):
    pm.register(datasette_plugin, "gemsearch")
