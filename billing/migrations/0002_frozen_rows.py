"""What was sent and what was done stays as it is, whoever writes: the database itself refuses."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION billing_refuse_frozen_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.frozen_at IS NOT NULL AND (TG_OP = 'DELETE' OR NEW IS DISTINCT FROM OLD) THEN
    RAISE EXCEPTION 'revision % is frozen', OLD.id USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER revision_frozen BEFORE UPDATE OR DELETE ON billing_revision
  FOR EACH ROW EXECUTE FUNCTION billing_refuse_frozen_revision();

CREATE FUNCTION billing_refuse_frozen_line() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  touched bigint[] := CASE TG_OP WHEN 'INSERT' THEN ARRAY[NEW.revision_id] WHEN 'DELETE' THEN ARRAY[OLD.revision_id]
    ELSE ARRAY[OLD.revision_id, NEW.revision_id] END;
BEGIN
  IF EXISTS (SELECT 1 FROM billing_revision WHERE id = ANY(touched) AND frozen_at IS NOT NULL) THEN
    RAISE EXCEPTION 'the revision of this line is frozen' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER line_frozen BEFORE INSERT OR UPDATE OR DELETE ON billing_quoteline
  FOR EACH ROW EXECUTE FUNCTION billing_refuse_frozen_line();

CREATE FUNCTION billing_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER audit_is_final BEFORE UPDATE OR DELETE ON billing_auditentry
  FOR EACH ROW EXECUTE FUNCTION billing_refuse_change();
CREATE TRIGGER decision_is_final BEFORE UPDATE OR DELETE ON billing_decision
  FOR EACH ROW EXECUTE FUNCTION billing_refuse_change();
CREATE TRIGGER quote_stays BEFORE DELETE ON billing_quote
  FOR EACH ROW EXECUTE FUNCTION billing_refuse_change();
"""
BACKWARD = """
DROP TRIGGER revision_frozen ON billing_revision;
DROP TRIGGER line_frozen ON billing_quoteline;
DROP TRIGGER audit_is_final ON billing_auditentry;
DROP TRIGGER decision_is_final ON billing_decision;
DROP TRIGGER quote_stays ON billing_quote;
DROP FUNCTION billing_refuse_frozen_revision, billing_refuse_frozen_line, billing_refuse_change;
"""


class Migration(migrations.Migration):
    dependencies = [("billing", "0001_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
