// SPDX-License-Identifier: Apache-2.0

/// A model of playback that settles: it does everything that has become possible. Here is what the
/// models of the transport and of the whole player do alike.
package protocol SettlingModel {
    /// A Boolean value that indicates whether a seek has not landed.
    var isSeekPending: Bool { get }

    /// Stops at the end, or does what follows it.
    mutating func endIfOver()
    /// Takes the steps that wait.
    mutating func takeSteps()
    /// Holds the timeline where media is missing.
    mutating func holdIfDry()
}

extension SettlingModel {
    /// Does what follows a landed seek and precedes a start. Returns false if a seek has begun.
    package mutating func settleEnds() -> Bool {
        endIfOver()
        if !isSeekPending { takeSteps() }
        endIfOver()
        guard !isSeekPending else { return false }
        holdIfDry()
        return true
    }
}
