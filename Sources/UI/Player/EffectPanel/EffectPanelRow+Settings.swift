// SPDX-License-Identifier: Apache-2.0

/// The rows of settings, such as the controls of a camera.
extension EffectPanelRow {
    /// Returns a title and the rows of the settings; nothing if there are no settings.
    @MainActor static func rows(
        for settings: any PanelSettings, _ state: State
    ) -> [EffectPanelRow] {
        let values = settings.settings
        guard !values.isEmpty else { return [] }
        let fold = State.Fold(effect: EffectPanel.settingsIndex, part: .effect)
        let title = EffectPanelRow(
            label: settings.title, style: .title, effect: EffectPanel.settingsIndex, fold: fold,
            isOpen: state.isOpen(fold))
        return title.isOpen ? [title] + values.flatMap { rows(for: $0, state) } : [title]
    }

    private static func rows(for setting: PanelSetting, _ state: State) -> [EffectPanelRow] {
        let place = State.Place(effect: EffectPanel.settingsIndex, input: setting.name)
        var row = EffectPanelRow(
            label: setting.label, effect: place.effect, input: setting.name)
        guard setting.isSettable else {
            row.value = setting.text
            return [row]
        }
        switch setting.kind {
        case .number(let range, _):
            let (low, high) = (Float(range.lowerBound), Float(range.upperBound))
            row.control = .slider(
                value: Float(setting.value), range: low...max(high, low.nextUp), isWhole: true)
        case .toggle: row.control = .toggle(setting.value != 0)
        case .menu(let choices):
            let isOpen = state.open.contains(place)
            row.control = .menu(setting.text, isOpen: isOpen)
            guard isOpen else { break }
            return [row]
                + choices.compactMap { choice in
                    Int32(exactly: choice.value).map {
                        EffectPanelRow(
                            label: choice.label, style: .part,
                            control: .choice($0, isChosen: choice.value == setting.value),
                            effect: place.effect, input: setting.name)
                    }
                }
        }
        return [row]
    }
}
