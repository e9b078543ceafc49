// SPDX-License-Identifier: Apache-2.0

/// The observation of a property. It ends when it is cancelled or released.
///
/// - Concurrency: the main thread; any thread may release it.
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

    /// Ends the observation.
    package func cancel() { handler = nil }

    var isCancelled: Bool { handler == nil }

    /// Calls the handler if the value differs from the last one that was reported.
    func tell(_ value: PropertyValue?) {
        guard value != last else { return }
        last = value
        handler?(value)
    }
}
