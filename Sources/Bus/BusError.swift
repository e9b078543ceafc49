// SPDX-License-Identifier: Apache-2.0

/// The error with which a service answers a call, or which stands for a missing answer.
package struct BusError: Error, Sendable, Hashable {
    /// The name, such as `org.freedesktop.DBus.Error.ServiceUnknown`.
    package var name: String
    /// The explanation.
    package var text: String

    package init(name: String, text: String) {
        self.name = name
        self.text = text
    }

    /// The error of a call that could not be sent.
    static let unsent = BusError(
        name: "org.freedesktop.DBus.Error.Disconnected", text: "the call could not be sent")
}
