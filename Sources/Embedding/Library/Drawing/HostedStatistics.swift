// SPDX-License-Identifier: Apache-2.0

/// The counts and durations of the host's draw calls.
struct HostedStatistics: Sendable {
    var rendered: UInt64 = 0
    var newFrames: UInt64 = 0
    var late: UInt64 = 0
    var renderNanoseconds: UInt64 = 0
    var longestNanoseconds: UInt64 = 0
    var uploadNanoseconds: UInt64 = 0
    var stateNanoseconds: UInt64 = 0
    var textures: UInt32 = 0
    var objects: UInt32 = 0
}
