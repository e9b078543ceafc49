// SPDX-License-Identifier: Apache-2.0

/// The use that a tap makes of a plug-in's port.
enum LV2Port: Sendable, Hashable {
    /// Samples of a channel to process; counted from 0.
    case audioInput(Int)
    /// Processed samples of a channel; counted from 0.
    case audioOutput(Int)
    /// A parameter, by its index among the parameters.
    case parameter(Int)
    /// A value that the plug-in reports; counted from 0.
    case controlOutput(Int)
    /// Events to the plug-in, of which there are none.
    case eventInput
    /// Events of the plug-in, which are discarded, and the size of their buffer in bytes.
    case eventOutput(capacity: Int)
    /// A port that may stay unconnected.
    case unused
    /// A port that the tap cannot connect.
    case unsupported(symbol: String, type: String)
}
