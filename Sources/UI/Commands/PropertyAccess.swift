// SPDX-License-Identifier: Apache-2.0

/// How a property is read and set: what a part of the program that has something to offer gives to
/// a `PlayerController`.
///
///     controller.provide(
///         .subtitleDelay,
///         PropertyAccess(get: { .number(subtitles.delay) }) { value in
///             subtitles.delay = value.number ?? 0
///         })
///
/// - Concurrency: the main thread.
@MainActor package struct PropertyAccess {
    /// Gives the value; nil where there is none now.
    package let get: @MainActor () -> PropertyValue?
    /// Sets one that the property's form allows; nil where it can only be read.
    package let set: (@MainActor (PropertyValue) throws(CommandError) -> Void)?
    /// What there is to choose from now, for `cycle`; nil where the form says that.
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
