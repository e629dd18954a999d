"""Speed, shown side by side with what people would use instead. Nothing here is asserted in a test."""
