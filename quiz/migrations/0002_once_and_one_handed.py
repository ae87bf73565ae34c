from django.db import migrations, models


def keep_the_first(apps, schema_editor):
    """What somebody asked for twice is kept once, as the constraints want it."""
    for name, number in (('help', 'step'), ('probe', 'number')):
        model = apps.get_model('quiz', name)
        for owner in ('user', 'visitor'):
            same = {field: models.OuterRef(field) for field in (owner, 'variant', number)}
            before = model.objects.filter(pk__lt=models.OuterRef('pk'), **same)
            model.objects.filter(models.Exists(before)).delete()



class Migration(migrations.Migration):

    dependencies = [
        ('quiz', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='practiceset',
            name='one_handed',
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(keep_the_first, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name='help',
            constraint=models.UniqueConstraint(fields=('user', 'variant', 'step'), name='help_once_a_user'),
        ),
        migrations.AddConstraint(
            model_name='help',
            constraint=models.UniqueConstraint(fields=('visitor', 'variant', 'step'), name='help_once_a_visitor'),
        ),
        migrations.AddConstraint(
            model_name='probe',
            constraint=models.UniqueConstraint(fields=('user', 'variant', 'number'), name='probe_once_a_user'),
        ),
        migrations.AddConstraint(
            model_name='probe',
            constraint=models.UniqueConstraint(fields=('visitor', 'variant', 'number'), name='probe_once_a_visitor'),
        ),
    ]
