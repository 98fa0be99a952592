import Glibc

/// Returns the natural logarithm.
func logarithm(_ value: Double) -> Double { log(value) }

/// Returns the logistic function, which is between 0 and 1.
func logistic(_ value: Double) -> Double { 1 / (1 + exp(-value)) }
