// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadGL

@Suite("Choice of a headless display")
struct HeadlessDisplayTests {
    /// Returns the display that is chosen, and those that were opened.
    private func choice(
        of displays: [String?], devices: [String], broken: Set<String> = []
    ) -> (chosen: String?, opened: [String]) {
        var opened: [String] = []
        let chosen = HeadlessDisplay.best(
            of: displays.map { name in { name } },
            devices: { devices.map { name in { name } } },
            starts: { name in
                opened.append(name)
                return !broken.contains(name)
            },
            isSoftware: { $0.hasPrefix("software") })
        return (chosen, opened)
    }

    @Test func `a display on a GPU is used, and no other is opened`() {
        let found = choice(of: ["surfaceless", "default"], devices: ["GPU"])
        #expect(found.chosen == "surfaceless")
        #expect(found.opened == ["surfaceless"])
    }

    @Test func `a GPU that starts is preferred to software`() {
        let found = choice(
            of: ["software", "default"], devices: ["no permission", "GPU", "second GPU"],
            broken: ["no permission"])
        #expect(found.chosen == "GPU")
        #expect(found.opened == ["software", "no permission", "GPU"])
    }

    @Test func `software is used if there is no GPU or none starts`() {
        #expect(choice(of: ["software"], devices: []).chosen == "software")
        #expect(choice(of: ["software"], devices: ["GPU"], broken: ["GPU"]).chosen == "software")
    }

    @Test func `without a surfaceless platform, the default display or a GPU is used`() {
        #expect(choice(of: [nil, "default"], devices: ["GPU"]).chosen == "default")
        #expect(choice(of: [nil, "broken"], devices: ["GPU"], broken: ["broken"]).chosen == "GPU")
        #expect(choice(of: [nil, nil], devices: []).chosen == nil)
    }
}
