// SPDX-License-Identifier: Apache-2.0

import Observation
import Synchronization

/// A bridge from changes of a state to Swift's Observation. It is for an object whose properties
/// show the state.
///
/// Tracking begins when the tracked closure has returned, so a change that another thread makes
/// before that could be missed. UI code, however, tracks on the main thread, and changes are
/// reported on that thread too. A report therefore comes either before the closure or after
/// tracking has begun. For the same reason, changes are reported after they are made and not
/// before.
///
/// - Concurrency: any thread. Reports are on the main thread.
final class ObservableProperties<Root: Observable & AnyObject & Sendable, State>: Sendable
where State: Sendable & Equatable {
    /// A property of the object, with the part of the state that it shows.
    struct Property: Sendable {
        let hasChanged: @Sendable (_ old: State, _ new: State) -> Bool
        let announce: @Sendable (ObservationRegistrar, Root) -> Void

        init<Member, Value: Equatable & Sendable>(
            _ member: any KeyPath<Root, Member> & Sendable,
            shows part: any KeyPath<State, Value> & Sendable
        ) {
            hasChanged = { $0[keyPath: part] != $1[keyPath: part] }
            announce = { registrar, root in
                registrar.willSet(root, keyPath: member)
                registrar.didSet(root, keyPath: member)
            }
        }
    }

    private struct Progress {
        var isObserving = false
        /// The indices of properties whose change has not been reported on the main thread yet.
        /// While there are such properties, a report is scheduled.
        var changed: Set<Int> = []
    }

    private let registrar = ObservationRegistrar()
    private let properties: [Property]
    private let observers: StateObservers<State>
    private let progress = Mutex(Progress())
    private let life = MainAnnouncements.Life()

    init(_ properties: [Property], of observers: StateObservers<State>) {
        self.properties = properties
        self.observers = observers
    }

    /// Records that a property is read. The first read begins the observation, so an object whose
    /// properties are never read costs nothing.
    func access<Member>(_ root: Root, _ member: any KeyPath<Root, Member> & Sendable) {
        progress.withLock { progress in
            // The lock is held, so that other readers can rely on the observation from then on.
            guard !progress.isObserving else { return }
            progress.isObserving = true
            observers.observeAtOnce { [weak self, weak root] old, new in
                self?.note(old, new, root)
            }
        }
        registrar.access(root, keyPath: member)
    }

    private func note(_ old: State, _ new: State, _ root: Root?) {
        guard let root else { return }
        let changed = properties.indices.filter { properties[$0].hasChanged(old, new) }
        guard !changed.isEmpty else { return }
        let isFirst = progress.withLock { progress in
            defer { progress.changed.formUnion(changed) }
            return progress.changed.isEmpty
        }
        guard isFirst else { return }
        MainAnnouncements.shared.add(
            MainAnnouncements.Entry(
                isAlive: { [weak life] in life != nil },
                announce: { [weak self, weak root] in
                    if let self, let root { announce(root) }
                }))
    }

    private func announce(_ root: Root) {
        let changed = progress.withLock { progress in
            defer { progress.changed = [] }
            return progress.changed.sorted()
        }
        for index in changed { properties[index].announce(registrar, root) }
    }
}
