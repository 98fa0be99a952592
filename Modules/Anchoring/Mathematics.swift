import Glibc

/// The natural logarithm.
func logarithm(_ value: Double) -> Double { log(value) }

/// The logistic function.
func logistic(_ value: Double) -> Double { 1 / (1 + exp(-value)) }
