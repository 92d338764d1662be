"""Forms made from the field table: inputs, the steps they stand on, and what is wrong in words."""
