// SPDX-License-Identifier: Apache-2.0

/// The functions that get and set a property, for `PlayerController.provide`.
///
///     controller.provide(
///         .subtitleDelay,
///         PropertyAccess(get: { .number(subtitles.delay) }) { value in
///             subtitles.delay = value.number ?? 0
///         })
///
/// - Concurrency: the main thread.
@MainActor package struct PropertyAccess {
    /// Returns the value, or nil if it is unavailable now.
    package let get: @MainActor () -> PropertyValue?
    /// Sets a value, which has the property's form; nil if the property is read-only.
    package let set: (@MainActor (PropertyValue) throws(CommandError) -> Void)?
    /// Returns the current choices of `cycle`; nil if the form determines them.
    package let choices: (@MainActor () -> [PropertyValue])?

    package init(
        get: @escaping @MainActor () -> PropertyValue?,
        set: (@MainActor (PropertyValue) throws(CommandError) -> Void)? = nil
    ) {
        self.get = get
        self.set = set
        choices = nil
    }

    package init(
        get: @escaping @MainActor () -> PropertyValue?,
        choices: @escaping @MainActor () -> [PropertyValue],
        set: @escaping @MainActor (PropertyValue) throws(CommandError) -> Void
    ) {
        self.get = get
        self.set = set
        self.choices = choices
    }
}
