// SPDX-License-Identifier: Apache-2.0

/// A random number generator. Its numbers differ in each run, unless a seed is given.
///
/// The algorithm is from Steele, Lea and Flood, "Fast splittable pseudorandom number generators"
/// (OOPSLA 2014).
public struct Chance: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator.
    ///
    /// - Parameter seed: the seed; nil for a random one.
    public init(seed: UInt64? = nil) { state = seed ?? UInt64.random(in: 0...UInt64.max) }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
