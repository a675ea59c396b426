"""Reports on labels: computed once, shown as a page, as text and as JSON."""
