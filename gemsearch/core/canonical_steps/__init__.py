"""The steps of the canonical key, one module each: values in, values out."""
