// SPDX-License-Identifier: Apache-2.0

/// Keeps the observation of a property alive: it ends when this is cancelled or dropped.
///
/// - Concurrency: the main thread; dropping it, any.
/// - Corresponds to: `mpv_observe_property`, `NSKeyValueObservation`.
@MainActor package final class PropertyObservation {
    let property: PlayerProperty
    var last: PropertyValue?
    private var handler: (@MainActor (PropertyValue?) -> Void)?

    init(
        _ property: PlayerProperty, _ value: PropertyValue?,
        _ handler: @escaping @MainActor (PropertyValue?) -> Void
    ) {
        self.property = property
        last = value
        self.handler = handler
    }

    /// Ends it: nothing is told any more.
    package func cancel() { handler = nil }

    var isCancelled: Bool { handler == nil }

    /// Tells of a value, unless it is the one that was told last.
    func tell(_ value: PropertyValue?) {
        guard value != last else { return }
        last = value
        handler?(value)
    }
}
